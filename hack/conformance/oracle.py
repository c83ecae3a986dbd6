# SPDX-License-Identifier: Apache-2.0
"""Asks gcloud's own parser what it makes of commands, without running any.

Usage: SDK=… $SDK/platform/bundledpythonunix/bin/python3 -B oracle.py COMMANDS.jsonl VERDICTS.jsonl

Each line of COMMANDS.jsonl is an argv without "gcloud". Each line of VERDICTS.jsonl is
{"argv", "ok", "kind", "path", "taken", "error"}:

  kind   ok       taken
         help     a help or version flag was met: gcloud prints and does nothing
         usage    refused by the parser
         project  the parser would take it, but the value of --project is no project id
         file     a file's contents decide, and the file is not there
         crash    the parser itself fails
  path   the command that it is taken for, dotted
  taken  what each flag and positional was given, in order: [name, [words]]

What gcloud does only to word an error (usage, suggestions, other release tracks) is left out: it takes most of the time.
Files that a flag's type reads while parsing are taken to be there, and empty. Flags that may be written once only keep
that in the parser's own objects, so these are reset before each command.
"""

import io
import json
import os
import re
import sys
import tempfile

SDK = os.environ['SDK']
os.environ.setdefault('CLOUDSDK_ROOT_DIR', SDK)
sys.path.insert(0, os.path.join(SDK, 'lib'))
sys.path.insert(0, os.path.join(SDK, 'lib', 'third_party'))

from googlecloudsdk import gcloud_main
from googlecloudsdk.calliope import arg_parsers
from googlecloudsdk.calliope import backend
from googlecloudsdk.calliope import parser_extensions
from googlecloudsdk.calliope import suggest_commands
from googlecloudsdk.calliope import usage_text
from googlecloudsdk.core import properties
from googlecloudsdk.core import yaml
from googlecloudsdk.core.console import console_io
from googlecloudsdk.core.util import files

TAKEN = []
ONCE = []
STATE = {'file': False}


def record_taken():
  original = parser_extensions.ArgumentParser._get_values

  def get_values(self, action, arg_strings):
    import argparse
    if action.dest != argparse.SUPPRESS and (action.option_strings or arg_strings):
      name = action.option_strings[0] if action.option_strings else (action.metavar if isinstance(action.metavar, str) else action.dest)
      TAKEN.append([name, [a for a in arg_strings if a != '--']])
    return original(self, action, arg_strings)

  parser_extensions.ArgumentParser._get_values = get_values


def remember_once():
  for cls in (arg_parsers.StoreOnceAction,):
    original = cls.__init__

    def init(self, *args, _original=original, **kwargs):
      _original(self, *args, **kwargs)
      ONCE.append(self)

    cls.__init__ = init


def files_are_there():
  def forgiving(original, empty):
    def read(*args, **kwargs):
      try:
        return original(*args, **kwargs)
      except Exception:  # pylint: disable=broad-except
        STATE['file'] = True
        return empty
    return read

  console_io.ReadFromFileOrStdin = forgiving(console_io.ReadFromFileOrStdin, '')
  files.ReadFileContents = forgiving(files.ReadFileContents, '')
  files.ReadBinaryFileContents = forgiving(files.ReadBinaryFileContents, b'')
  arg_parsers.YAMLFileContents.__call__ = forgiving(arg_parsers.YAMLFileContents.__call__, {})
  yaml.load_path = forgiving(yaml.load_path, {})


def few_words():
  parser_extensions.CommandGroupAction.LoadAllChoices = lambda self: None
  parser_extensions.ArgumentParser._CommandAlternativeReleaseTracks = lambda self, value=None: []
  suggest_commands.GetCommandSuggestions = lambda args: []
  usage_text.TextChoiceSuggester.GetSuggestion = lambda self, arg: None
  for cls in (backend.CommandCommon, backend.CommandGroup, backend.Command):
    for name in ('GetUsage', 'GetCategoricalUsage', 'GetUncategorizedUsage', 'GetHelpHint'):
      setattr(cls, name, lambda self: '-')


def verdict(parser, argv, captured):
  captured.seek(0)
  captured.truncate()
  TAKEN.clear()
  STATE['file'] = False
  for action in ONCE:
    action.dest_is_populated = False
  rec = {'argv': argv, 'ok': True, 'kind': 'ok', 'path': None, 'taken': None, 'error': None}
  properties.VALUES.PushInvocationValues()
  try:
    namespace = parser.parse_args(argv)
    rec['path'] = '.'.join(namespace._GetCommand().GetPath())
    rec['taken'] = list(TAKEN)
  except SystemExit as e:
    rec['ok'] = e.code in (0, None)
    rec['kind'] = 'help' if rec['ok'] else 'usage'
  except BaseException as e:  # pylint: disable=broad-except
    rec.update(ok=False, kind='project' if type(e).__name__ == 'InvalidProjectError' else 'crash', error=('%s: %s' % (type(e).__name__, e))[:300])
  finally:
    properties.VALUES.PopInvocationValues()
  sys.stdout.flush()
  sys.stderr.flush()
  if not rec['ok'] and not rec['error']:
    captured.seek(0)
    text = captured.read().decode('utf-8', 'replace')
    m = re.search(r'^ERROR: (.*)$', text, re.M)
    rec['error'] = (m.group(1) if m else text[-200:])[:300]
  if not rec['ok'] and STATE['file']:
    rec['kind'] = 'file'
  return rec


def main():
  with open(sys.argv[1]) as f:
    lines = f.read().splitlines()
  out = open(sys.argv[2], 'w')
  sys.stdin = io.StringIO('')
  properties.VALUES.core.disable_prompts.Set(True)
  record_taken()
  remember_once()
  files_are_there()
  few_words()
  cli = gcloud_main.CreateCLI([])
  parser = cli._TopElement()._parser
  captured = tempfile.TemporaryFile()
  os.dup2(captured.fileno(), 1)
  os.dup2(captured.fileno(), 2)
  for line in lines:
    out.write(json.dumps(verdict(parser, json.loads(line), captured)) + '\n')
  out.close()


if __name__ == '__main__':
  main()
