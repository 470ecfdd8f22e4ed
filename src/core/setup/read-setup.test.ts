import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import { readSetup, setupJsonSchema } from './read-setup.ts'

/** Returns a file with these fields, each in its own line from line 3 on. */
const file = (...fields: readonly string[]) =>
  `{\n  "countersign": 1,\n${fields.map((field) => `  ${field}`).join(',\n')}\n}\n`

const environment = (more: string) =>
  `"environments": [\n    { "name": "acme", "mode": "test", "baseUrl": "https://api.acme.example"${more} }\n  ]`
const hook = (more: string, event = 'card.linked') =>
  `"hooks": [\n    { "name": "one", "environment": "sandbox-test", "event": "${event}", "url": "https://acme.example/h"${more} }\n  ]`

const request = (more: string) => `"requests": [{ "name": "a", "file": "r.json"${more} }]`

const CLEAR =
  'Write { "env": "NAME" } or { "file": "PATH" } instead. If the file was ever committed, replace the secret at the service too.'

const wrong: readonly (readonly [what: string, text: string, problem: string])[] = [
  [
    'nothing',
    '',
    '1 The file isn\'t valid JSON. The file is empty. Write an object with `"countersign": 1`.',
  ],
  [
    'half of it',
    '{\n  "countersign": 1,\n',
    "3 The file isn't valid JSON. The file ends too early: a quote, bracket or brace isn't closed.",
  ],
  [
    'a comment',
    '{\n  // ours\n}',
    "2 The file isn't valid JSON. Check line 2 and the end of the line before it for a missing or extra comma, quote or brace, or a comment.",
  ],
  ['a list', '[]', '1 The file is an array. Expected an object in braces.'],
  ['no version', '{}', '1 countersign: `countersign` is missing. Add it as 1.'],
  [
    'another version',
    '{ "countersign": 2 }',
    "1 countersign: `countersign` is 2, which isn't allowed. Use one of: 1.",
  ],
  ['a misspelled field', file('"hook": []'), '3 hook: Unknown field `hook`. Did you mean `hooks`?'],
  [
    'a field of nothing like it',
    file('"consents": []'),
    '3 consents: Unknown field `consents`. Remove it, or use one of: $schema, countersign, data, settings, environments, sandbox, hooks, handlers, forwards, views, flows, requests, current.',
  ],
  [
    'a secret in clear',
    file(hook(', "secret": "whsec_1"')),
    `4 hooks[0].secret: \`secret\` is written in clear. ${CLEAR}`,
  ],
  [
    'a key in clear',
    file(environment(', "key": "sk_1"')),
    `4 environments[0].key: \`key\` is written in clear. ${CLEAR}`,
  ],
  [
    'a header in clear',
    file(hook(', "headers": { "X-A": "1" }')),
    `4 hooks[0].headers.X-A: \`X-A\` is written in clear. ${CLEAR}`,
  ],
  [
    'a secret of two places',
    file(hook(', "secret": { "env": "A", "file": "b" }')),
    '4 hooks[0].secret: Name either `env` or `file`.',
  ],
  [
    'a variable that is none',
    file(hook(', "secret": { "env": "A B" }')),
    '4 hooks[0].secret.env: `env` is "A B". Use letters, digits and underscores.',
  ],
  [
    'a list of text',
    file('"views": "all"'),
    '3 views: `views` is a string. Expected an array in square brackets.',
  ],
  [
    'a view without a query',
    file('"views": [{ "name": "A" }]'),
    '3 views[0].query: `query` is missing. Add it as a string in quotes.',
  ],
  [
    'a query that is none',
    file('"views": [{ "name": "A", "query": "is:" }]'),
    '3 views[0].query: "is:" has no value. Add one, such as is:valid. (at character 4)',
  ],
  [
    'two views of a name',
    file('"views": [{ "name": "A", "query": "a" },\n    { "name": "a", "query": "b" }]'),
    '4 views[1].name: `views` has "a" twice. Remove or rename one of them.',
  ],
  [
    'a field twice',
    file('"views": []', '"views": []'),
    '4 views: `views` appears twice. Only the last one would count. Remove one of them.',
  ],
  [
    'a prototype',
    file('"__proto__": {}'),
    "3 __proto__: `__proto__` can't be a field's name. Rename it.",
  ],
  [
    'a constructor',
    file(hook(', "headers": { "constructor": { "env": "A" } }')),
    "4 hooks[0].headers.constructor: `constructor` can't be a field's name. Rename it.",
  ],
  [
    'a mode that is none',
    file('"environments": [{ "name": "a", "mode": "prod", "baseUrl": "https://a.example" }]'),
    '3 environments[0].mode: `mode` is "prod", which isn\'t allowed. Use one of: test, live.',
  ],
  [
    'a base URL without TLS',
    file(environment('').replace('https', 'http')),
    '4 environments[0].baseUrl: The base URL must be HTTPS. Otherwise the key would be sent unencrypted.',
  ],
  [
    'a base URL with a password',
    file(environment('').replace('https://', 'https://a:b@')),
    '4 environments[0].baseUrl: The base URL must not contain a user name or password.',
  ],
  [
    'the wrong secret',
    file(environment(', "clientSecret": { "env": "A" }')),
    "4 environments[0].clientSecret: service-key authentication doesn't use this secret. Name `key`.",
  ],
  [
    'an environment of the sandbox',
    file(environment('').replace('"acme"', '"sandbox-test"')),
    '4 environments[0].name: sandbox-test belongs to the sandbox. Use `sandbox` for its prefix and CA certificate.',
  ],
  [
    'a hook of an unknown environment',
    file(hook('').replace('sandbox-test', 'acme')),
    '4 hooks[0].environment: Environment "acme" isn\'t in this file. Add it to `environments`, or use sandbox-test or sandbox-live.',
  ],
  [
    'a hook without TLS',
    file(hook('').replace('https:', 'http:')),
    '4 hooks[0].url: Use an HTTPS URL with a valid certificate, not http (spec 2.1).',
  ],
  [
    'a program that is no UUID',
    file(hook(', "programId": "p"', 'transaction.auth')),
    '4 hooks[0].programId: programId must be a UUID (spec 2.1).',
  ],
  [
    'a response that is none',
    file(hook(', "response": { "status": 99 }')),
    '4 hooks[0].response.status: `status` is 99. Expected at least 200.',
  ],
  [
    'a handler of an unknown hook',
    file('"handlers": [{ "name": "a", "url": "localhost:1", "hook": "b" }]'),
    '3 handlers[0].hook: Hook "b" isn\'t in this file. Add it to `hooks`.',
  ],
  [
    'a handler that is no URL',
    file('"handlers": [{ "name": "a", "url": "ftp://a" }]'),
    '3 handlers[0].url: "ftp://a" isn\'t a complete URL. Use one like http://127.0.0.1:3000/webhooks.',
  ],
  [
    'a target with a user',
    file('"forwards": [{ "name": "a", "url": "http://a@b.example" }]'),
    '3 forwards[0].url: Remove the user name from the target URL (b.example). Text before an @ is easily mistaken for the host.',
  ],
  [
    'a filter of what is only known later',
    file('"forwards": [{ "name": "a", "url": "localhost:1", "query": "status:200" }]'),
    '3 forwards[0].query: "status:" is only known later. Filter by event, hook, path, header or body.',
  ],
  [
    'a certificate that is none',
    file('"handlers": [{ "name": "a", "url": "localhost:1", "targetCa": "x" }]'),
    '3 handlers[0].targetCa: The target\'s CA certificate isn\'t a PEM certificate. It should begin with "-----BEGIN CERTIFICATE-----".',
  ],
  [
    'a current handler that is none',
    file('"current": { "handler": "a" }'),
    '3 current.handler: "a" isn\'t in this file. Remove it.',
  ],
  [
    'a port that is none',
    file('"settings": { "ports": { "receiver": 99999 } }'),
    '3 settings.ports.receiver: `receiver` is 99999. Expected at most 65535.',
  ],
  [
    'a request of an unknown hook',
    file(request(', "hook": "one"')),
    '3 requests[0].hook: Hook "one" isn\'t in this file. Add it to `hooks`.',
  ],
  [
    "a request with another event than its hook's",
    file(hook(''), request(', "hook": "one", "event": "card.unlinked"')),
    '6 requests[0].event: Hook "one" receives card.linked, not card.unlinked. Name another hook, or remove the event.',
  ],
  [
    'a request with a key in clear',
    file(request(', "headers": { "X-Api-Key": "1" }')),
    '3 requests[0].headers.X-Api-Key: X-Api-Key is a secret in clear. Remove it, or add it to the hook.',
  ],
  [
    'a request with its own signature',
    file(request(', "headers": { "x-service-signature": "1" }')),
    "3 requests[0].headers.x-service-signature: x-service-signature is re-computed, so your value wouldn't be sent. Remove the header, or keep the signature (--signature keep).",
  ],
  [
    'two requests of a file',
    file('"requests": [{ "name": "a", "file": "r" },\n    { "name": "b", "file": "r" }]'),
    '4 requests[1].file: `requests` has "r" twice. Remove or rename one of them.',
  ],
  [
    'too much nesting',
    file(`"flows": ${'['.repeat(5_000)}${']'.repeat(5_000)}`),
    '1 The file nests objects more than 20 deep. Check that it is a setup file.',
  ],
  [
    '10 MB',
    file(`"data": "${'x'.repeat(10_000_000)}"`),
    '1 The file is larger than 1 MiB. Check that it is a setup file.',
  ],
]

test.each(wrong)('a wrong file names its line and what to do: %s', (_, text, problem) => {
  try {
    readSetup(text, 'countersign.json')
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const message = error.message.replace(/^countersign\.json:(\d+):\d+/, '$1')
    expect([error.code, message]).toEqual(['INVALID_SETUP', problem])
  }
})

test('all problems of a file are reported, in the order of its lines, without the secret', () => {
  const text = file('"viws": []', hook(', "secret": "whsec_2"'))
  expect(() => readSetup(text, 'a.json')).toThrow(/^a\.json:3:\d+ viws.*\na\.json:5:\d+ hooks/)
  expect(() => readSetup(text, 'a.json')).not.toThrow(/whsec_2/)
})

test('the published schema accepts a valid file, and refuses a secret in clear', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(setupJsonSchema())
  const valid = JSON.parse(file(environment(', "key": { "env": "A" }'), hook(''))) as unknown
  expect([validate(valid), validate.errors]).toEqual([true, null])
  expect(validate(JSON.parse(file(hook(', "secret": "whsec_3"'))))).toBe(false)
})
