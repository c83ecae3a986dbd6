# SPDX-License-Identifier: Apache-2.0
"""Describes the argparse types and actions of gcloud's flags as data.

Most types are closures or objects of calliope.arg_parsers whose parameters can be read. What can't be read is described
as {"k": "func", "name": …}: it is taken as it is, and counted in PROBLEMS.
"""

import collections
import enum
import re

from googlecloudsdk.calliope import arg_parsers

PROBLEMS = collections.Counter()


def closure(f):
  """The variables that a closure holds, by name."""
  out = {}
  for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
    try:
      out[name] = cell.cell_contents
    except ValueError:
      pass
  return out


# Commands are loaded as modules whose names are drawn at random.
RANDOM_MODULE = re.compile(r'__calliope__command__\.[0-9a-f]+\.')


def name_of(f):
  module = RANDOM_MODULE.sub('', str(getattr(f, '__module__', '?')))
  return '%s.%s' % (module, getattr(f, '__qualname__', type(f).__qualname__))


def describe(t, depth=0):
  """A JSON value that says what the type accepts; None for a string that is taken as it is."""
  if t is None or t is str:
    return None
  if depth > 24:
    return unknown('nested too deep', t)
  if t is int:
    return {'k': 'int'}
  if t is float:
    return {'k': 'float'}
  if t is bool:
    return None  # bool('x') never fails
  if isinstance(t, type) and issubclass(t, enum.Enum):
    return {'k': 'choice', 'choices': choices(list(t))}
  if isinstance(t, (arg_parsers.ArgList, arg_parsers.ArgBoolean, arg_parsers.FileContents, arg_parsers.YAMLFileContents, arg_parsers.FilePathOrStdinContents)):
    return instance(t, depth)
  if type(t).__name__ in WRAPPERS:
    return describe(t.arg_type, depth + 1)
  qual = name_of(t)
  if qual in SIMPLE:
    return dict(SIMPLE[qual])
  for suffix, make in CLOSURES.items():
    if qual == 'googlecloudsdk.calliope.arg_parsers.' + suffix:
      return make(closure(t), depth)
  return probe(t, qual)


# Objects that convert what their arg_type has checked.
WRAPPERS = {'_ConvertValueType', '_FieldType', '_MessageFieldType', '_AdditionalPropsType', '_MapFieldType'}

SIMPLE = {
    'googlecloudsdk.core.util.times.ParseDuration': {'k': 'duration'},
    'googlecloudsdk.core.util.times.ParseDateTime': {'k': 'datetime'},
    'googlecloudsdk.command_lib.compute.instances.flags.NonEmptyString.<locals>.Factory': {'k': 'nonempty'},
    'googlecloudsdk.api_lib.compute.utils.IPArgument': {'k': 'ip'},
    'googlecloudsdk.api_lib.compute.utils.IPV4Argument': {'k': 'ip', 'unit': '4'},
    'googlecloudsdk.api_lib.compute.utils.IPV6Argument': {'k': 'ip', 'unit': '6'},
    'googlecloudsdk.calliope.arg_parsers.HostPort.Parse': {'k': 'hostport'},
    'googlecloudsdk.calliope.arg_parsers.Day.Parse': {'k': 'day'},
    'googlecloudsdk.calliope.arg_parsers.Datetime.Parse': {'k': 'datetime'},
    'googlecloudsdk.calliope.arg_parsers.Datetime.ParseUtcTime': {'k': 'datetime'},
    'googlecloudsdk.calliope.arg_parsers.DayOfWeek.Parse': {'k': 'dayofweek'},
    'googlecloudsdk.calliope.arg_parsers.Range.Parse': {'k': 'range'},
}


def bounded(v, depth):
  out = {'k': 'int' if v['type_builder'] is int else 'float'}
  if v['type_builder'] not in (int, float):
    out = {'k': 'bounded', 'of': describe(v['type_builder'], depth + 1)}
  for key, var in (('lo', 'lower_bound'), ('hi', 'upper_bound')):
    if v.get(var) is not None:
      out[key] = v[var]
  if v.get('unlimited'):
    out['unlimited'] = 1
  return out


def duration(v, depth):
  inner = closure(v['Parse'])
  out = {'k': 'duration', 'unit': inner['default_unit']}
  scale = {'s': 1, 'ms': 1000, 'us': 1000000}[inner['parsed_unit']]
  for key, var in (('lo', 'parsed_lower_bound'), ('hi', 'parsed_upper_bound')):
    if v.get(var) is not None:
      out[key] = v[var] / scale
  return out


def size(v, depth):
  inner = closure(v['Parse'])
  out = {'k': 'size', 'scales': dict(inner['scales']), 'unit': inner['default_unit'], 'abbr': inner['type_abbr']}
  if inner['strict_case']:
    out['strict'] = 1
  for key, var in (('lo', 'parsed_lower_bound'), ('hi', 'parsed_upper_bound')):
    if v.get(var) is not None:
      out[key] = v[var]
  return out


def regexp(v, depth):
  pattern = v['pattern']
  text = pattern if isinstance(pattern, str) else pattern.pattern
  return {'k': 'regexp', 'p': '^(?:%s$)' % text, 'text': v.get('description', '')}


def custom(v, depth):
  fn, qual = v['fn'], name_of(v['fn'])
  if qual in VALIDATORS and v.get('parser') is None:
    return dict(VALIDATORS[qual])
  pattern = getattr(getattr(fn, '__self__', None), 'pattern', None)
  if isinstance(pattern, str) and fn.__name__ in ('match', 'fullmatch'):
    return {'k': 'regexp', 'p': ('^(?:%s)' if fn.__name__ == 'match' else '^(?:%s)$') % pattern, 'text': v.get('description', '')}
  return unknown('custom validator', fn)


VALIDATORS = {
    'googlecloudsdk.command_lib.util.args.labels_util.IsValidLabelKey': {'k': 'labelkey'},
    'googlecloudsdk.command_lib.util.args.labels_util.IsValidLabelValue': {'k': 'labelvalue'},
    'googlecloudsdk.command_lib.projects.util.ValidateProjectIdentifier': {'k': 'project'},
}


CLOSURES = {
    '_BoundedType.<locals>.Parse': bounded,
    'Duration.<locals>.ParseWithBoundsChecking': duration,
    '_ValueParser.<locals>.ParseWithBoundsChecking': size,
    'RegexpValidator.<locals>.Parse': regexp,
    'CustomFunctionValidator.<locals>.Parse': custom,
}


def instance(t, depth):
  kind = type(t).__name__
  if type(t).__call__ not in KNOWN_CALLS:
    return unknown('subclass of a known type', type(t))
  if isinstance(t, arg_parsers.ArgBoolean):
    out = {'k': 'bool', 'true': list(t._truthy_strings), 'false': list(t._falsey_strings)}
    if t._case_sensitive:
      out['strict'] = 1
    return out
  if isinstance(t, (arg_parsers.FileContents, arg_parsers.YAMLFileContents, arg_parsers.FilePathOrStdinContents)):
    return {'k': 'file'}
  out = {'k': {'ArgList': 'list', 'ArgDict': 'dict', 'ArgObject': 'object'}.get(kind, 'list')}
  if isinstance(t, arg_parsers.ArgObject):
    out['k'] = 'object'
  elif isinstance(t, arg_parsers.ArgDict):
    out['k'] = 'dict'
  element = t.element_type
  if t.visible_choices:  # the constructor wraps the element's type
    out['choices'] = choices(t.choices)
    element = closure(element).get('element_type')
  out.update(present(of=describe(element, depth + 1), min=t.min_length, max=t.max_length, delim=t.custom_delim_char, json=int(t.includes_json)))
  if t.max_length == 0:
    out['max'] = 0
  if isinstance(t, arg_parsers.ArgDict):
    out.update(dictionary(t, depth))
  if isinstance(t, arg_parsers.ArgObject):
    out.update(present(repeated=int(bool(t.repeated)), shorthand=int(bool(t.parse_as_arg_dict)), upload=int(bool(t.enable_file_upload)), keyed=int(bool(t._keyed_values))))
  return out


def dictionary(t, depth):
  out = present(key=describe(t.key_type, depth + 1), keyonly=int(bool(t.allow_key_only)), required=list(t.required_keys), clean=int(bool(t.cleanup_input)))
  if t.spec is not None:
    out['spec'] = {k: ({'k': 'none'} if v is None else describe(v, depth + 1)) for k, v in t.spec.items()}
  out['ops'] = {op: describe(v, depth + 1) for op, v in t.operators.items()}
  return out


KNOWN_CALLS = {c.__call__ for c in (
    arg_parsers.ArgList, arg_parsers.ArgDict, arg_parsers.ArgObject, arg_parsers.ArgBoolean, arg_parsers.FileContents,
    arg_parsers.YAMLFileContents, arg_parsers.FilePathOrStdinContents)}


def present(**values):
  return {k: v for k, v in values.items() if v}


def choices(values):
  """Choices as strings, in the parser's order where it has one."""
  out = []
  for v in values:
    if isinstance(v, enum.Enum):
      v = v.value
    out.append(v if isinstance(v, str) else str(v))
  return out if isinstance(values, (list, tuple)) else sorted(out)


PROBES = ('aBc-D_é', '', '5', 'a b', '/x/../y', '{"a":1}', 'a=b,c=d')


def probe(t, qual):
  """Tries an unknown function on some strings: one that changes case, or nothing, is described so."""
  try:
    results = [t(p) for p in PROBES]
  except BaseException as e:  # pylint: disable=broad-except
    return unknown('function', t, '%s: %s' % (type(e).__name__, str(e)[:80]))
  for kind, f in (('lower', str.lower), ('upper', str.upper), ('strip', str.strip), ('underscore', lambda s: s.replace('-', '_').upper()), ('hyphen', lambda s: s.replace('_', '-').lower())):
    if results == [f(p) for p in PROBES]:
      return {'k': kind}
  if results == list(PROBES):
    return None
  return unknown('total function', t)


def unknown(why, t, detail=''):
  qual = name_of(t)
  PROBLEMS['type %s: %s %s' % (qual, why, detail)] += 1
  return {'k': 'func', 'name': qual, 'total': int(why == 'total function')}


PLAIN_ACTIONS = {'_StoreAction', '_StoreTrueAction', '_StoreFalseAction', '_StoreConstAction', '_AppendAction', 'StoreTrueFalseAction', '_AppendConstAction'}


def action_kind(a):
  """What the action itself checks, beyond storing the value."""
  cls = type(a)
  qual = name_of(cls)
  if cls.__name__ in PLAIN_ACTIONS:
    return {}
  if qual.endswith('FunctionExitAction.<locals>.Action') or qual.endswith('RenderDocumentAction.<locals>.Action'):
    return {'a': 'exit'}
  if isinstance(a, arg_parsers.StoreOnceAction):
    return {'a': 'once'}
  if isinstance(a, arg_parsers.UpdateActionWithAppend):
    return {}
  if isinstance(a, arg_parsers.UpdateAction):
    return {'a': 'update'}
  if any('_PreActionHook' in c.__qualname__ for c in cls.__mro__):
    return {**action_kind(a._wrapped_action), **deprecation(a)}
  prop = getattr(cls, 'store_property', None)
  if prop:
    validator = getattr(prop[0], '_Property__validator', None) or getattr(prop[0], '_validator', None)
    if validator and prop[0].name != 'project':
      PROBLEMS['property %s is validated by %s' % (prop[0].name, name_of(validator))] += 1
    return {'prop': '%s/%s' % (prop[0].section, prop[0].name)}
  PROBLEMS['action ' + qual] += 1
  return {}


def deprecation(a):
  """Whether the flag is deprecated, or removed, which is an error when it is written."""
  v = closure(a.func)
  if 'removed' not in v:
    PROBLEMS['hook ' + name_of(a.func)] += 1
    return {}
  if not v['removed']:
    return {'dep': 1}
  try:
    gone = bool(v['show_message'](a._wrapped_action.const if a.nargs == 0 else 'x'))
  except BaseException:  # pylint: disable=broad-except
    gone = False
  return {'dep': 1, 'gone': 1} if gone else {'dep': 1}


LOCAL_HELP = re.compile(r'local (file|path|dir|folder|YAML|JSON)|(path|name) (to|of) (a|the|your|an) ?(\w+ ){0,4}(file|directory|folder)|file path|file (containing|that contains|with|name)|\bfilename|file from which|on (your|the) (local )?(machine|disk|workstation)|relative path|absolute path|directory (containing|to|where|on)|YAML file|JSON file|config(uration)? file', re.I)
LOCAL_NAME = re.compile(r'(^|[-_])(file|files|path|paths|dir|directory|source|folder|filename|manifest)($|[-_])', re.I)


def names_local_file(a):
  """Whether the value may name a file on the machine where gcloud runs, as far as its name and help tell."""
  if a.nargs == 0:
    return False
  text = getattr(a, 'hidden_help', None) or a.help or ''
  names = ' '.join(a.option_strings) or '%s %s' % (a.dest, a.metavar)
  return bool(LOCAL_HELP.search(str(text))) or bool(LOCAL_NAME.search(names.lstrip('-')))
