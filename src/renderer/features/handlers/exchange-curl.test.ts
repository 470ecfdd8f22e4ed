import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { checkExchange } from '../../../../test/support/check-handlers.ts'
import type { CheckExchange } from '../../../shared/model/check.ts'
import { exchangeCurl } from './exchange-curl.tsx'

const exchange = (overrides: Partial<CheckExchange['sent']>) =>
  checkExchange({}, { label: '', url: 'http://127.0.0.1/in', ...overrides })

const trust = { receiver: 'https://127.0.0.1:4783', caFile: '/data/ca.pem' }

function wordsOf(line: string): string[] {
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
  return stdout.split('\0').slice(0, -1)
}

test('every character reaches the shell unchanged', () => {
  const body = `{"name":"it's $HOME \`x\` \\n é"}\n`
  const line = exchangeCurl(
    exchange({
      body,
      bodySize: Buffer.byteLength(body),
      headers: [
        ['x-one', `a'b`],
        ['x-none', ''],
      ],
    }),
    trust,
  )
  expect(wordsOf(line ?? '')).toEqual([
    ...'curl -sS -i -X POST http://127.0.0.1/in -H'.split(' '),
    ...[`x-one: a'b`, '-H', 'x-none;', '--data-binary', body],
  ])
})

test('a truncated body has no curl command', () => {
  expect(exchangeCurl(exchange({ body: 'xxx', bodySize: 4 }), trust)).toBeNull()
})

test('the curl command trusts the same certificates as the check', () => {
  expect(
    wordsOf(exchangeCurl(exchange({ url: 'https://127.0.0.1:9443/in' }), trust) ?? ''),
  ).toContain('--insecure')
})
