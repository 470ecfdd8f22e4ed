/**
 * The handlers of docs/first-handler.md, saved and started as readers do, pass the handler check:
 * every valid delivery, forgery, age and repeat.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileOf } from '../support/doc-pages.ts'
import { freePorts } from '../support/free-ports.ts'
import { linkPackage } from '../support/installed-package.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

const SECRET = 'whsec-of-the-first-handler'
const URL_REGISTERED = 'https://hooks.example.test/webhooks?tenant=7'
const languages = [
  ['Node', process.execPath, 'handler.mjs'],
  ['Python', 'python3', 'handler.py'],
] as const
const isMissing = (program: string) => spawnSync(program, ['--version']).status !== 0

const folder = temporaryFolder()
beforeAll(() => linkPackage(folder))

describe.each(languages)('the %s handler', (_name, program, file) => {
  const missing = isMissing(program)
  let child: ChildProcess | null = null
  let endpoint = ''

  beforeAll(async () => {
    if (missing) return
    const [port] = await freePorts(1)
    writeFileSync(
      join(folder, file),
      fileOf('docs/first-handler.md', file).replaceAll('3000', String(port)),
    )
    const env = { ...process.env, WEBHOOK_SECRET: SECRET, WEBHOOK_URL: URL_REGISTERED }
    child = spawn(program, [join(folder, file)], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    endpoint = `http://127.0.0.1:${port}/webhooks`
    if (child.stdout === null) throw new Error('The handler has no output.')
    await once(createInterface(child.stdout), 'line')
  })
  afterAll(async () => {
    if (child === null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })

  test('passes the handler check', async ({ skip }) => {
    skip(missing, `${program} is not installed here`)
    const ran =
      await cli.run`check ${endpoint} --secret ${SECRET} --registered-url ${URL_REGISTERED} --program-status --rate 200 --json`
    const judged = (ran.json()[0]?.['cases'] ?? []) as {
      readonly name: string
      readonly outcome: string
    }[]
    expect(judged.length).toBeGreaterThan(30)
    expect(judged.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
    expect(ran.code, ran.text).toBe(0)
  })
})
