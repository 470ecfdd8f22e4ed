import { expect, test } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import { parseFlowFile, readFlow } from './read-flow.ts'

/** Writes a file with these steps, one per line from line 6 on. */
function file(steps: readonly string[], more = ''): string {
  return `{\n  "flow": 1,\n  "name": "mine",\n  "title": "Mine",${more}\n  "steps": [\n    ${steps.join(',\n    ')}\n  ]\n}`
}

const OFFER = '0d5c3a52-6c0e-4a52-9f58-1f0a5d2b7a01'

const broken: readonly (readonly [what: string, text: string, problems: readonly string[]])[] = [
  [
    'nothing',
    '',
    [
      "1:1  The file isn't valid JSON. The file is empty. Write an object with `flow`, `name`, `title` and `steps`.",
    ],
  ],
  [
    'half of it',
    '{\n  "flow": 1,\n',
    [
      "3:1  The file isn't valid JSON. The file ends too early: a quote, bracket or brace isn't closed.",
    ],
  ],
  [
    'a comment',
    '{\n  "flow": 1, // the version\n}',
    [
      "2:14  The file isn't valid JSON. Check line 2 and the end of the line before it for a missing or extra comma, quote or brace, or a comment.",
    ],
  ],
  [
    'a comma after the last step',
    '{\n  "flow": 1,\n  "steps": [\n    { "kind": "wait", "for": "1h" },\n  ]\n}\n',
    [
      "5:3  The file isn't valid JSON. Check line 5 and the end of the line before it for a missing or extra comma, quote or brace, or a comment.",
    ],
  ],
  [
    'a word that is none',
    '{\n  "flow": 1,\n  "steps": [{ "kind": "delivery", "absent": yes }]\n}\n',
    [expect.stringMatching(/^3:45 {2}The file isn't valid JSON\. Check line 3/)],
  ],
  ['a list', '[]', ['1:1  The file is an array. Expected an object in braces.']],
  [
    'a version and a name that are none, and no steps',
    '{ "flow": 2, "name": "X", "title": "t", "steps": [] }',
    [
      "1:11 flow `flow` is 2, which isn't allowed. Use one of: 1.",
      '1:22 name `name` is "X". A flow\'s name starts with a lowercase letter, followed by lowercase letters, digits and dashes.',
      '1:50 steps `steps` is an array of 0. Expected at least 1.',
    ],
  ],
  [
    'a kind of step that is none',
    file(['{ "kind": "triger", "event": "card.linked" }']),
    [
      '6:15 steps[0].kind Unknown step kind "triger". Use one of: trigger, make, change, rotate, wait, delivery, answer, check.',
    ],
  ],
  [
    'a field that is none, and one that is missing',
    file(['{ "kind": "wait", "fro": "1h" }']),
    [
      '6:5 steps[0].for `for` is missing. Add it as a string in quotes.',
      '6:30 steps[0].fro Unknown field `fro`. Did you mean `for`?',
    ],
  ],
  [
    'an event that is none',
    file(['{ "kind": "trigger", "event": "card.link" }']),
    [
      expect.stringMatching(
        /^6:35 steps\[0\]\.event `event` is "card\.link", which isn't allowed\. Did you mean card\.linked\? Use one of: brand\.consent, /,
      ),
    ],
  ],
  [
    'a length of time that is none',
    file(['{ "kind": "wait", "for": "3 days" }']),
    ['6:30 steps[0].for `for` is "3 days". Expected a duration with a unit: 90s, 15m, 72h or 3d.'],
  ],
  [
    'a variable that nobody remembers',
    file([
      '{ "kind": "trigger", "event": "card.linked", "as": "it" }',
      '{ "kind": "check", "value": "${card.id}", "rule": 1 }',
    ]),
    [
      '7:33 steps[1].value ${card.id} is unknown at this step. Known here: it. Add `"as": "card"` to an earlier step.',
    ],
  ],
  [
    'a variable that cannot be read, and a pattern that is none',
    file(['{ "kind": "check", "value": "${a b}", "rule": { "matches": "(" } }']),
    [
      "6:33 steps[0].value ${a b} isn't a valid reference. Write references as ${name.path}.",
      '6:64 steps[0].rule.matches ( isn\'t a valid regular expression. Fix it, or use "is".',
    ],
  ],
  [
    'a comparison that is none',
    file([
      '{ "kind": "delivery", "event": "card.linked", "where": { "expYear": { "above": 2030 } } }',
    ]),
    [
      '6:84 steps[0].where.expYear.above Unknown field `above`. Remove it, or use one of: is, not, oneOf, lt, lte, gt, gte, negativeOf, matches, exists.',
    ],
  ],
  [
    'a field twice, and a number that is too large',
    file([
      '{ "kind": "delivery", "event": "card.linked", "within": "3m", "within": "4m", "attempt": 4 }',
    ]),
    [
      '6:77 steps[0].within `within` appears twice. Only the last one would count. Remove one of them.',
      '6:94 steps[0].attempt `attempt` is 4. Expected at most 3.',
    ],
  ],
  [
    'an answer to what is not expected',
    file(['{ "kind": "answer", "to": "card" }']),
    [
      '6:31 steps[0].to No earlier delivery is saved as "card". Add `"as": "card"` to that delivery.',
    ],
  ],
  [
    'an event that this mode never sends',
    file(['{ "kind": "trigger", "event": "program.status" }']),
    [
      '6:35 steps[0].event program.status is never sent in test mode (spec 6.2). Set `"mode": "live"` for the flow.',
    ],
  ],
  [
    'a hook of another event, with an offer that it does not take',
    file(
      ['{ "kind": "delivery", "event": "card.linked", "hook": "a" }'],
      `\n  "hooks": [{ "id": "a", "event": "card.failed", "offerId": "${OFFER}" }],`,
    ),
    [
      "5:61 hooks[0].offerId A hook for card.failed can't have an offerId (spec 4.2). Remove it, or use the .qualified event.",
      '7:59 steps[0].hook Hook "a" is for card.failed, not card.linked. Use a hook for this event.',
    ],
  ],
  [
    'an eleventh hook of one event',
    file(
      ['{ "kind": "trigger", "event": "card.linked" }'],
      `\n  "hooks": [${Array.from({ length: 11 }, (_, index) => `{ "id": "h${index}", "event": "card.linked" }`).join(', ')}],`,
    ),
    [
      expect.stringMatching(
        /^5:\d+ hooks\[10\] This is hook 11 for card\.linked\. The limit is 10 \(spec 8\)\. Remove a hook\.$/,
      ),
    ],
  ],
  [
    'what is wrong in its form, and what is wrong in steps whose form is right',
    file(
      [
        '{ "kind": "trigger", "event": "card.link", "as": "card" }',
        '{ "kind": "delivery", "event": "card.linked", "match": { "id": "${card.card}" }, "hook": "a", "as": "linked" }',
        '{ "kind": "answer", "to": "later" }',
        '{ "kind": "delivery", "event": "card.linked", "within": "soon", "as": "later" }',
        '{ "kind": "answer", "to": "later" }',
        '{ "kind": "check", "value": "${nobody.id}", "rule": 1 }',
        '{ "kind": "trigger", "event": "card.linked", "as": "card" }',
        '{ "kind": "rotate", "hook": "b" }',
      ],
      '\n  "hooks": [{ "id": "a", "event": "card.link" }, { "id": "a", "event": "card.linked" }],',
    ),
    [
      expect.stringMatching(/^5:35 hooks\[0\]\.event `event` is "card\.link"/),
      '5:58 hooks[1].id Hook "a" already exists. Give each hook a unique id.',
      expect.stringMatching(/^7:35 steps\[0\]\.event `event` is "card\.link"/),
      '9:31 steps[2].to No earlier delivery is saved as "later". Add `"as": "later"` to that delivery.',
      '10:61 steps[3].within `within` is "soon". Expected a duration with a unit: 90s, 15m, 72h or 3d.',
      '12:33 steps[5].value ${nobody.id} is unknown at this step. Known here: card, linked, later. Add `"as": "nobody"` to an earlier step.',
      '13:56 steps[6].as Step "card" already exists. Give each step a unique name.',
      '14:33 steps[7].hook Hook "b" not found. Add it to `hooks`.',
    ],
  ],
  [
    'a mode that is none, which is not held against an event',
    file(['{ "kind": "trigger", "event": "program.status" }'], '\n  "mode": "tset",'),
    [
      '5:11 mode `mode` is "tset", which isn\'t allowed. Did you mean test? Use one of: test, live.',
    ],
  ],
  [
    'the same name twice',
    file([
      '{ "kind": "wait", "for": "1h", "name": "a" }',
      '{ "kind": "wait", "for": "1h", "name": "a" }',
    ]),
    ['7:44 steps[1].name Step "a" already exists. Give each step a unique name.'],
  ],
]

test.each(broken)('%s is reported with its place, the problem and a fix', (_, text, problems) => {
  const checked = parseFlowFile(text)
  expect(
    'problems' in checked
      ? checked.problems.map(
          ({ line, column, path, message, fix }) => `${line}:${column} ${path} ${message} ${fix}`,
        )
      : [],
  ).toEqual(problems)
})

test('the error names the file on every line, and has the same problems as data', () => {
  const text = file(['{ "kind": "wait", "for": "1" }', '{ "kind": "answer", "to": 3 }'])
  let error: unknown
  try {
    readFlow(text, 'flows/mine.json')
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(AppError)
  expect((error as AppError).code).toBe('INVALID_FLOW')
  expect((error as AppError).message.split('\n')).toEqual([
    'flows/mine.json:6:30 steps[0].for: `for` is "1". Expected a duration with a unit: 90s, 15m, 72h or 3d.',
    'flows/mine.json:7:31 steps[1].to: `to` is a number. Expected a string in quotes.',
  ])
  expect((error as AppError).details).toMatchObject([
    { path: 'steps[0].for', line: 6 },
    { path: 'steps[1].to', line: 7 },
  ])
})
