# SPDX-License-Identifier: Apache-2.0
"""Collects the example commands of the SDK's help texts.

Usage: python3 examples.py HELP_TEXT_DIR OUT.jsonl

HELP_TEXT_DIR is what `gcloud meta generate-help-docs --help-text-dir=HELP_TEXT_DIR` wrote. Each line of OUT.jsonl is the
argv of one command without "gcloud"; commands that stand in several texts are written once. The order is fixed.
"""

import json
import os
import re
import shlex
import sys

START = re.compile(r'^( +)\$ (gcloud\b.*)$')


def commands(text):
  """The command lines that follow a $ prompt, with their continuation lines joined as a shell would."""
  lines = text.splitlines()
  i = 0
  while i < len(lines):
    m = START.match(lines[i])
    i += 1
    if not m:
      continue
    indent, line = m.group(1), m.group(2)
    while i < len(lines) and (line.endswith('\\') or quote_open(line)):
      following = lines[i][len(indent):] if lines[i].startswith(indent) else lines[i]
      line = line[:-1] + following if line.endswith('\\') else line + '\n' + following
      i += 1
      if len(line) > 20000:
        break
    yield line


def quote_open(line):
  try:
    shlex.split(line)
    return False
  except ValueError as e:
    return 'quotation' in str(e)


def main():
  seen, found = set(), []
  for folder, dirs, files in os.walk(sys.argv[1]):
    dirs.sort()
    for name in sorted(files):
      with open(os.path.join(folder, name), encoding='utf-8') as f:
        text = f.read()
      for line in commands(text):
        try:
          argv = shlex.split(line)[1:]
        except ValueError:
          continue
        key = json.dumps(argv)
        if argv and key not in seen:
          seen.add(key)
          found.append(argv)
  with open(sys.argv[2], 'w') as out:
    for argv in found:
      out.write(json.dumps(argv) + '\n')
  print('%d commands' % len(found), file=sys.stderr)


if __name__ == '__main__':
  main()
