/** The first delivery of README.md, pasted word for word into a shell beside a running instance; only the port is another. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

const LONG_MS = 120_000
const addressesSchema = z.object({ receiver: z.url(), pid: z.number().int() })
const deliverySchema = z.object({ path: z.string(), verdict: z.string(), freshness: z.string(), event: z.string().nullable() })

const folder = mkdtempSync(join(tmpdir(), 'countersign-readme-'))
const env = { ...process.env, COUNTERSIGN_DATA: folder }
let instance: ChildProcess
let port = ''

/** The code blocks of the section, in order. */
function blocks(title: string): string[] {
  const section = readFileSync('README.md', 'utf8').split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] ?? '')
}

/** `output` is what the reader sees, `data` what a program would read. */
function paste(text: string): { output: string; data: string; status: number | null } {
  const run = spawnSync('bash', ['-u', '-c', text], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] })
  return { output: run.stdout + run.stderr, data: run.stdout, status: run.status }
}

beforeAll(async () => {
  const ports = ['--ui-port', '--receiver-port', '--sandbox-port'].flatMap((option) => [option, '0'])
  instance = spawn(process.execPath, ['bin/countersign.mjs', 'serve', '--json', '--no-open', ...ports], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (instance.stdout === null) throw new Error('The instance has no output.')
  const ended = once(instance, 'exit').then(([code]) => Promise.reject(new Error(`serve ended with ${String(code)}`)))
  const [line] = (await Promise.race([once(createInterface(instance.stdout), 'line'), ended])) as [string]
  port = new URL(addressesSchema.parse(JSON.parse(line)).receiver).port
}, LONG_MS)

afterAll(async () => {
  if (instance.exitCode === null) {
    const ended = once(instance, 'exit')
    instance.kill('SIGTERM')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

test(
  'a reader who pastes the commands of "Your first delivery" sees a valid delivery',
  () => {
    const [importing = '', sending = '', showing = ''] = blocks('Your first delivery').map((block) =>
      block.replaceAll('4783', port),
    )
    expect(sending.trim().split('\n')).toHaveLength(4)

    const imported = paste(importing)
    expect(imported, imported.output).toMatchObject({ status: 0 })
    const sent = paste(sending)
    expect(sent.output).toMatch(/^HTTP\/1\.1 200 OK/m)
    const shown = paste(showing)
    expect(shown, shown.output).toMatchObject({ status: 0 })
    expect(shown.output).toContain('valid')

    const listed = paste('npx countersign deliveries --json')
    expect(listed.data.trim().split('\n'), listed.output).toHaveLength(1)
    expect(deliverySchema.parse(JSON.parse(listed.data))).toEqual({
      path: '/h/demo',
      verdict: 'valid',
      freshness: 'fresh',
      event: 'transaction.auth',
    })
  },
  LONG_MS,
)

test(
  'one character changed in the body, the URL, the timestamp or the secret, or one pass left out, makes it invalid',
  () => {
    const sending = (blocks('Your first delivery')[1] ?? '').replaceAll('4783', port)
    const signed = '"$body$url$timestamp"'
    const changes = [
      sending.replace(signed, '"$body $url$timestamp"'),
      sending.replace(signed, '"$body$url/$timestamp"'),
      sending.replace(signed, '"$body$url${timestamp}0"'),
      sending.replace('my-first-secret', 'my-first-Secret'),
      sending.replace('| hmac | hmac', '| hmac'),
    ]
    expect(new Set(changes).size).toBe(changes.length)
    for (const change of changes) {
      expect(change).not.toBe(sending)
      expect(paste(change).output).toMatch(/^HTTP\/1\.1 200 OK/m)
    }
    const verdicts = paste(`npx countersign deliveries --json --limit ${changes.length}`)
      .data.trim()
      .split('\n')
      .map((line) => deliverySchema.parse(JSON.parse(line)).verdict)
    expect(verdicts).toEqual(changes.map(() => 'invalid'))
  },
  LONG_MS,
)
