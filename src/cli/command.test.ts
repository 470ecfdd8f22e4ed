import { expect, test } from 'vitest'
import { usageSentence } from './command.ts'

const HELP = 'Run "countersign show --help" to see its usage.'

test.each([
  ["error: missing required argument 'id'", `Missing argument: id. ${HELP}`],
  ["error: option '-o, --output <file>' argument missing", `--output needs a value. ${HELP}`],
  ["error: required option '--event <event>' not specified", `--event is required. ${HELP}`],
  [
    "error: option '--limit <n>' argument 'ten' is invalid. Expected an integer of 1 or more.",
    'Invalid --limit "ten". Expected an integer of 1 or more.',
  ],
  [
    "error: option '--format <name>' argument 'it's' is invalid. Allowed choices are jsonl, har, curl.",
    'Invalid --format "it\'s". Use one of: jsonl, har, curl.',
  ],
  [
    "error: option '--url <url>' argument '' is invalid. Option needs a value.",
    '--url needs a value.',
  ],
  [
    "error: command-argument value 'x' is invalid for argument 'event'. Unknown event \"x\".",
    'Unknown event "x".',
  ],
  ["error: option '--pin' cannot be used with option '--to <x>'", 'Use either --pin or --to.'],
  ["error: unknown option '--nope'", `Unknown option --nope. ${HELP}`],
  [
    "error: unknown option '--jsn'\n(Did you mean --json?)",
    'Unknown option --jsn. Did you mean --json?',
  ],
  [
    "error: unknown command 'lst'\n(Did you mean one of list, last?)",
    'Unknown command "lst". Did you mean list, last?',
  ],
  [
    "error: too many arguments for 'show'. Expected 1 argument but got 2: latest, extra.",
    `Too many arguments: expected 1, got 2. ${HELP}`,
  ],
  ['another message', 'another message'],
])('%s', (message, sentence) => {
  expect(usageSentence(message, 'countersign show')).toBe(sentence)
})
