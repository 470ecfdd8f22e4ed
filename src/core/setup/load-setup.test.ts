import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { loadSetup, outsideSecrets } from './load-setup.ts'

let folder: string
let outside: string
const inFolder = (path: string) => join(folder, path)

beforeEach(() => {
  folder = temporaryFolder()
  outside = join(temporaryFolder(), 'outside.txt')
  writeFileSync(outside, 'whsec_outside')
})

const hook = {
  ...{ name: 'one', environment: 'sandbox-test', event: 'card.linked' },
  url: 'https://acme.example/h',
}

function load(setup: object, readsOutside = false, env = {}) {
  writeFileSync(inFolder('countersign.json'), JSON.stringify({ countersign: 1, ...setup }))
  return loadSetup(inFolder('countersign.json'), { env, readsOutside })
}
const loadSecret = (secret: object, readsOutside = false, env = {}) =>
  load({ hooks: [{ ...hook, secret }] }, readsOutside, env).secrets

test('secrets come from variables and files in the folder; missing ones are left out', () => {
  writeFileSync(inFolder('one.txt'), 'whsec_one\r\n')
  expect(loadSecret({ file: 'one.txt' })).toEqual({ 'hooks[0].secret': 'whsec_one' })
  expect(loadSecret({ file: 'gone.txt' })).toEqual({})
  expect(loadSecret({ env: 'ONE' }, false, { ONE: 'whsec_two' })).toEqual({
    'hooks[0].secret': 'whsec_two',
  })
  expect(loadSecret({ env: 'ONE' })).toEqual({})
})

test('an absolute path is only read after it was shown', () => {
  expect(loadSecret({ file: outside })).toEqual({})
  expect(loadSecret({ file: outside }, true)).toEqual({ 'hooks[0].secret': 'whsec_outside' })
  const { text, file } = load({ hooks: [{ ...hook, secret: { file: outside } }] })
  expect(outsideSecrets(text, file)).toMatchObject([
    { place: 'hooks[0].secret', reference: { file: outside } },
  ])
})

const refused: readonly (readonly [what: string, prepare: () => string, problem: string])[] = [
  ['upwards', () => '../outside.txt', "../outside.txt is outside of this file's folder."],
  [
    'upwards and down again',
    () => `x/../../${join('y', 'z')}`,
    "is outside of this file's folder.",
  ],
  ['a zero byte', () => 'a\0b', "is outside of this file's folder."],
  [
    'a link to a file outside',
    () => {
      symlinkSync(outside, inFolder('link.txt'))
      return 'link.txt'
    },
    "link.txt is outside of this file's folder.",
  ],
  [
    'a link to a folder outside',
    () => {
      symlinkSync('/etc', inFolder('etc'))
      return 'etc/passwd'
    },
    "etc/passwd is outside of this file's folder.",
  ],
  [
    'a folder',
    () => {
      mkdirSync(inFolder('folder'))
      return 'folder'
    },
    "folder isn't a regular file.",
  ],
  [
    'a pipe, which never ends',
    () => {
      execFileSync('mkfifo', [inFolder('pipe')])
      return 'pipe'
    },
    "pipe isn't a regular file.",
  ],
  [
    'a large file',
    () => {
      writeFileSync(inFolder('large.txt'), 'x'.repeat(10_000))
      return 'large.txt'
    },
    'large.txt is larger than 8,192 bytes.',
  ],
  [
    'several lines',
    () => {
      writeFileSync(inFolder('lines.txt'), 'root:x\nuser:y\n')
      return 'lines.txt'
    },
    'lines.txt has no secret: it is longer than 1,000 characters or has several lines.',
  ],
  [
    'no text',
    () => {
      writeFileSync(inFolder('bytes.bin'), Buffer.from([0xff, 0xfe, 0xfd]))
      return 'bytes.bin'
    },
    "bytes.bin isn't UTF-8 text.",
  ],
]

test.each(refused)('a secret file is refused with its line: %s', (_, prepare, problem) => {
  const file = prepare()
  expect(() => loadSecret({ file }, true)).toThrow(/^countersign\.json:1:\d+ hooks\[0\]\.secret: /)
  expect(() => loadSecret({ file }, true)).toThrow(problem)
})

test('a flow file is read only in the folder, and must exist', () => {
  writeFileSync(inFolder('one.json'), '{}')
  expect(load({ flows: ['one.json'] }).files).toEqual({ 'one.json': '{}' })
  expect(() => load({ flows: ['gone.json'] })).toThrow('flows[0]: gone.json not found. Check')
  for (const path of ['../outside.txt', outside, 'C:\\secret.json'])
    expect(() => load({ flows: [path] })).toThrow("outside of this file's folder. Move it there")
})

test('a request is read as bytes, only in the folder, and must exist', () => {
  const bytes = Buffer.from([0, 255, 13, 10])
  writeFileSync(inFolder('one.body'), bytes)
  const loadRequest = (file: string) => load({ requests: [{ name: 'one', file }] }).bodies
  expect(loadRequest('one.body')).toEqual({ 'one.body': bytes.toString('base64') })
  expect(() => loadRequest('gone.json')).toThrow('requests[0].file: gone.json not found. Check')
  expect(() => loadRequest(outside)).toThrow("outside of this file's folder. Move it there")
  writeFileSync(inFolder('large.body'), Buffer.alloc(16 * 1_048_576 + 1))
  expect(() => loadRequest('large.body')).toThrow('large.body is larger than 16,777,216 bytes.')
  writeFileSync(inFolder('half.body'), Buffer.alloc(9 * 1_048_576))
  writeFileSync(inFolder('rest.body'), Buffer.alloc(9 * 1_048_576))
  const requests = ['half', 'rest'].map((name) => ({ name, file: `${name}.body` }))
  expect(() => load({ requests })).toThrow(
    'requests[1].file: The named requests have more than 16 MiB together. Remove some of them.',
  )
})
