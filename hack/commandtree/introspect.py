# SPDX-License-Identifier: Apache-2.0
"""Writes the command tree of an installed Google Cloud SDK as JSON.

Usage: PYTHONHASHSEED=0 $SDK/platform/bundledpythonunix/bin/python3 -B introspect.py OUT.json

SDK (environment) is the SDK's folder. Every command module is loaded and gcloud's own argparse objects are read, so the
tree is what the parser works with, hidden commands and flags included. Takes about two minutes and 1.6 GB.

The same SDK gives the same bytes, if PYTHONHASHSEED is set. What is written is explained in docs/design/command-tree.md.
"""

import collections
import json
import os
import sys

SDK = os.environ['SDK']
os.environ.setdefault('CLOUDSDK_ROOT_DIR', SDK)
sys.path.insert(0, os.path.join(SDK, 'lib'))
sys.path.insert(0, os.path.join(SDK, 'lib', 'third_party'))

import argparse  # gcloud's own copy
from googlecloudsdk import gcloud_main
from googlecloudsdk.calliope import parser_extensions

import flagtypes

TRACKS = ('alpha', 'beta', 'preview')


class Interner:
  """Numbers distinct JSON values in the order in which they are first seen."""

  def __init__(self):
    self.items = []
    self._index = {}

  def id(self, value):
    key = json.dumps(value, sort_keys=True)
    if key not in self._index:
      self._index[key] = len(self.items)
      self.items.append(value)
    return self._index[key]


FLAGS, TYPES, GROUPS, SETS = Interner(), Interner(), Interner(), Interner()
PROBLEMS = collections.Counter()


def argument(action):
  """What the parser checks of one flag or positional."""
  out = {'d': action.dest}
  if action.option_strings:
    out['n'] = list(action.option_strings)
  else:
    out['m'] = action.metavar if isinstance(action.metavar, str) else action.dest
  if action.nargs is not None:
    out['na'] = action.nargs
  kind = flagtypes.describe(action.type)
  if kind is not None:
    out['t'] = TYPES.id(kind)
  if action.choices is not None:
    out['c'] = flagtypes.choices(action.choices)
  if getattr(action, 'is_hidden', False):
    out['h'] = 1
  out.update(flagtypes.action_kind(action))
  if flagtypes.names_local_file(action):
    out['l'] = 1
  return out


def constraints(group, top=True):
  """The part of an argument tree that can make validate_specified_args() refuse, or None."""
  members = []
  for arg in group.arguments:
    if arg.is_group:
      sub = constraints(arg, top=False)
      if sub is not None:
        members.append(sub)
    else:
      required = bool(arg.is_required) and not isinstance(arg, parser_extensions.DynamicPositionalAction)
      name = arg.option_strings[0] if getattr(arg, 'option_strings', None) else (arg.metavar or arg.dest)
      members.append({'d': arg.dest, 'n': name, **({'r': 1} if required else {})})
  if top:
    members = [m for m in members if m.get('r') or 'of' in m and matters(m)]
    return {'of': unique(members)} if members else None
  if not members:
    return None
  return {'of': unique(members), **({'r': 1} if group.is_required else {}), **({'x': 1} if group.is_mutex else {})}


def matters(node):
  """Whether the group can refuse anything, whatever is written."""
  return bool(node.get('r') or node.get('x')) or any(m.get('r') or 'of' in m and matters(m) for m in node['of'])


def unique(members):
  """A group's arguments are added once more at each level below it; once is enough."""
  seen, out = set(), []
  for m in members:
    key = json.dumps(m, sort_keys=True)
    if key not in seen:
      seen.add(key)
      out.append(m)
  return out


def element(e):
  """One command or group, without what is below it."""
  parser = e._parser
  out = {'f': SETS.id(sorted(FLAGS.id(argument(a)) for a in parser._actions if a.option_strings))}
  if parser._mutually_exclusive_groups:
    PROBLEMS['argparse mutually exclusive groups'] += 1
  if e.IsHidden():
    out['h'] = 1
  positionals = []
  for a in parser._actions:
    if a.option_strings or a is parser._remainder_action or isinstance(a, parser_extensions.CommandGroupAction):
      continue
    if isinstance(a, parser_extensions.DynamicPositionalAction):
      out['dyn'] = 1
      continue
    positionals.append(FLAGS.id(argument(a)))
  if positionals:
    out['p'] = positionals
  if parser._remainder_action is not None:
    r = parser._remainder_action
    out['rem'] = r.metavar if isinstance(r.metavar, str) else r.dest
  c = constraints(e.ai)
  if c is not None:
    out['r'] = GROUPS.id(c)
  return out


def walk(group, path):
  out = element(group)
  children = {}
  for name in sorted(group.AllSubElements()):
    e = group.LoadSubElement(name)
    if e is None:  # not in this release track
      continue
    node = walk(e, path + [e.cli_name]) if e.is_group else element(e)
    impl = (group._groups_to_load if e.is_group else group._commands_to_load).get(name)
    if path[1:] or path and path[0] not in TRACKS or not path and name not in TRACKS:
      node['src'] = source(impl)
    children[e.cli_name] = node
  out['s'] = children
  return out


def source(impl):
  """Where an element is defined, relative to the SDK: two elements with one source are aliases."""
  paths = impl if isinstance(impl, list) else [impl]
  return '|'.join(sorted(os.path.relpath(str(p), os.path.join(SDK, 'lib')) for p in paths))


def main():
  cli = gcloud_main.CreateCLI([])
  tree = walk(cli._TopElement(), [])
  with open(os.path.join(SDK, 'VERSION')) as f:
    version = f.read().strip()
  out = {'sdk': version, 'flags': FLAGS.items, 'types': TYPES.items, 'groups': GROUPS.items, 'sets': SETS.items, 'tree': tree}
  with open(sys.argv[1], 'w') as f:
    json.dump(out, f, separators=(',', ':'), sort_keys=True)
  for problem, n in sorted({**PROBLEMS, **flagtypes.PROBLEMS}.items()):
    print('%6d %s' % (n, problem), file=sys.stderr)


if __name__ == '__main__':
  main()
