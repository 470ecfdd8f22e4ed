/**
 * Deliveries as tests of a handler (sections 5.2 and 6.4 of the interface). Received data becomes
 * ASCII string literals, never code.
 */
import { utf8Text } from '../body/encoding.ts'
import type { TestLanguage } from '../contract/nouns/exchange.ts'
import { headerProblem } from '../http.ts'
import type { RawHeaders } from '../model/delivery.ts'
import { headerNames } from '../service/header-names.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../service/limits.ts'
import { SECRET_VARIABLE, toBase64 } from './snippet.ts'

export interface TestedDelivery {
  /** Test name, with the unique `seq`. */
  readonly event: string
  readonly seq: number
  readonly title: string
  /** Default: the handler's URL. */
  readonly registeredUrl: string | null
  /** Variable with the secret; default: `WEBHOOK_SECRET`. */
  readonly secretName: string
  readonly prefix: string
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly ack: '200' | '2xx'
}

/** Name and expressions of a test. */
interface TestParts extends Pick<TestedDelivery, 'ack'> {
  readonly name: string
  readonly title: string
  readonly url: string
  readonly secretName: string
  readonly prefix: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

interface TestWriter {
  readonly begin: string
  readonly between: string
  readonly end: string
  readonly target: string
  /** Escapes a character of more than 16 bits. */
  escape(hexadecimal: string): string
  /** Expressions that decode a literal to bytes. */
  readonly bytes: Readonly<Record<'text' | 'base64', (literal: string) => string>>
  test(parts: TestParts): string
}

const TARGET_VARIABLE = 'HANDLER_URL'
const DEFAULT_TARGET = 'http://127.0.0.1:3000/webhooks'
const TIMEOUT_SECONDS = ACKNOWLEDGE_TIMEOUT_MS / 1_000

const about = [
  'Sends captured deliveries to your handler, each with a fresh signature.',
  `${SECRET_VARIABLE}_…: the secrets, as "countersign hooks env" prints them; or ${SECRET_VARIABLE} for all.`,
  `${TARGET_VARIABLE}: your handler (default: ${DEFAULT_TARGET}).`,
]

/** Differences between JavaScript's test runners. */
interface Runner {
  readonly run: string
  readonly pragma: string
  load(names: string, module: string): string
  /** Module of `test`, unless the runner has it ready. */
  readonly test: readonly [names: string, module: string] | null
  readonly testEnd: string
}

const importing = (names: string, module: string) => `import ${names} from '${module}'\n`
/** Longer than the handler's limit, so that its silence is reported. */
const WITH_TIMEOUT = `}, ${TIMEOUT_SECONDS + 5}_000)`

const javascript = ({ pragma, load, test, run, testEnd }: Runner): TestWriter => ({
  begin: `${pragma}// ${about.join('\n// ')}
// Run with: ${run}
${load('assert', 'node:assert/strict')}${load('{ createHmac }', 'node:crypto')}${test === null ? '' : load(...test)}
const target = process.env.${TARGET_VARIABLE} ?? '${DEFAULT_TARGET}'

function sign(body, url, timestamp, secretName) {
  const secret = process.env[secretName] ?? process.env.${SECRET_VARIABLE}
  assert.ok(secret, \`Set \${secretName} to the hook's secret.\`)
  const hmac = (data) => createHmac('sha256', secret).update(data).digest('base64')
  return hmac(hmac(Buffer.concat([body, Buffer.from(url + timestamp)])))
}

async function send({ url, secretName, prefix, headers, body }) {
  const timestamp = String(Date.now())
  const response = await fetch(target, {
    method: 'POST',
    headers: [
      ...headers,
      [\`x-\${prefix}-signature\`, sign(body, url, timestamp, secretName)],
      [\`x-\${prefix}-timestamp\`, timestamp],
    ],
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(${TIMEOUT_SECONDS}_000),
  })
  await response.body?.cancel()
  return response.status
}

`,
  between: '\n\n',
  end: '\n',
  target: 'target',
  escape: (hexadecimal) => `\\u{${hexadecimal}}`,
  bytes: {
    text: (literal) => `Buffer.from(${literal})`,
    base64: (literal) => `Buffer.from(${literal}, 'base64')`,
  },
  test: ({ title, url, secretName, prefix, headers, body, ack }) => `test(${title}, async () => {
  const status = await send({
    url: ${url},
    secretName: ${secretName},
    prefix: ${prefix},
    headers: [
${headers.map((header) => `      [${header.join(', ')}],\n`).join('')}    ],
    body: ${body},
  })
  assert.equal(${ack === '200' ? 'status, 200' : 'Math.floor(status / 100), 2'})
${testEnd}`,
})

const writers: Readonly<Record<TestLanguage, TestWriter>> = {
  node: javascript({
    run: 'node --test FILE',
    pragma: '',
    load: importing,
    test: ['test', 'node:test'],
    testEnd: '})',
  }),
  vitest: javascript({
    run: 'npx vitest run FILE',
    pragma: '// @vitest-environment node\n',
    load: importing,
    test: ['{ test }', 'vitest'],
    testEnd: WITH_TIMEOUT,
  }),
  jest: javascript({
    run: 'npx jest FILE',
    pragma: '/** @jest-environment node */\n',
    // Jest reads ES modules only with an option.
    load: (names, module) => `const ${names} = require('${module}')\n`,
    test: null,
    testEnd: WITH_TIMEOUT,
  }),
  python: {
    begin: `"""${about.join('\n\n')}

Run with: python3 FILE, or pytest FILE
"""

import base64
import hashlib
import hmac
import http.client
import os
import time
import unittest
from urllib.parse import urlsplit

TARGET = os.environ.get("${TARGET_VARIABLE}", "${DEFAULT_TARGET}")


def sign(body, url, timestamp, secret_name):
    secret = (os.environ.get(secret_name) or os.environ.get("${SECRET_VARIABLE}", "")).encode()
    assert secret, f"Set {secret_name} to the hook's secret."

    def once(data):
        return base64.b64encode(hmac.new(secret, data, hashlib.sha256).digest())

    return once(once(body + url.encode() + timestamp.encode())).decode()


def send(url, secret_name, prefix, headers, body):
    timestamp = str(int(time.time() * 1000))
    target = urlsplit(TARGET)
    is_https = target.scheme == "https"
    connect = http.client.HTTPSConnection if is_https else http.client.HTTPConnection
    connection = connect(target.netloc, timeout=${TIMEOUT_SECONDS})
    try:
        path = target._replace(scheme="", netloc="", fragment="").geturl()
        connection.putrequest("POST", path or "/", skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        signature = sign(body, url, timestamp, secret_name)
        connection.putheader(f"x-{prefix}-signature", signature)
        connection.putheader(f"x-{prefix}-timestamp", timestamp)
        connection.putheader("content-length", str(len(body)))
        connection.endheaders(body)
        return connection.getresponse().status
    finally:
        connection.close()


class CapturedWebhooks(unittest.TestCase):
    """Each is acknowledged."""

`,
    between: '\n\n',
    end: `


if __name__ == "__main__":
    unittest.main()
`,
    target: 'TARGET',
    escape: (hexadecimal) => `\\U${hexadecimal.padStart(8, '0')}`,
    bytes: {
      text: (literal) => `${literal}.encode()`,
      base64: (literal) => `base64.b64decode(${literal})`,
    },
    test: ({
      name,
      title,
      url,
      secretName,
      prefix,
      headers,
      body,
      ack,
    }) => `    def test_${name}(self):
        ${title}
        status = send(
            url=${url},
            secret_name=${secretName},
            prefix=${prefix},
            headers=[
${headers.map((header) => `                (${header.join(', ')}),\n`).join('')}            ],
            body=${body},
        )
        self.assertEqual(${ack === '200' ? 'status, 200' : 'status // 100, 2'})`,
  },
}

export function handlerTestFrame(
  language: TestLanguage,
): Pick<TestWriter, 'begin' | 'between' | 'end'> {
  return writers[language]
}

/** Writes a test that signs when it runs. */
export function handlerTest(language: TestLanguage, delivery: TestedDelivery): string {
  const { event, seq, title, registeredUrl, secretName, prefix, headers, body, ack } = delivery
  const writer = writers[language]
  const literal = (text: string) => literalOf(text, writer)
  const { signature, timestamp } = headerNames(prefix)
  const signed: readonly string[] = [signature, timestamp]
  const text = utf8Text(body, false)
  return writer.test({
    name: `${event}_${seq}`.replaceAll(/[^A-Za-z0-9]+/g, '_'),
    ack,
    title: literal(title),
    url: registeredUrl === null ? writer.target : literal(registeredUrl),
    secretName: literal(secretName),
    prefix: literal(prefix),
    headers: headers
      .filter(
        ([name, value]) =>
          headerProblem(name, value) === null && !signed.includes(name.toLowerCase()),
      )
      .map(([name, value]) => [literal(name), literal(value)]),
    body:
      text === null
        ? writer.bytes.base64(literal(toBase64(body)))
        : writer.bytes.text(literal(text)),
  })
}

/** Writes an ASCII string literal, valid in JavaScript and Python. */
function literalOf(text: string, { escape }: TestWriter): string {
  const inside = text.replaceAll(/[\\']|[^\x20-\x7e]/gu, (character) => {
    if (character === '\\' || character === "'") return `\\${character}`
    const hexadecimal = (character.codePointAt(0) ?? 0).toString(16)
    return hexadecimal.length > 4 ? escape(hexadecimal) : `\\u${hexadecimal.padStart(4, '0')}`
  })
  return `'${inside}'`
}
