import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { isAlive } from '../../src/core/base/processes.ts'
import { listen } from '../support/listen.ts'
import { sendDelivery } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { exitOf, FREE_PORTS, linesOf, cliOfFile, type ServingProcess } from './cli-fixture.ts'
import { send } from './loopback-fixture.ts'

const cli = cliOfFile()
const { run } = cli

let serving: ServingProcess

beforeAll(async () => {
  serving = await cli.serveProcess()
})

describe('serve', () => {
  test('prints its URLs in its first line', () => {
    expect(serving.info).toEqual({
      ui: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}#key=[\w-]{43}$/),
      receiver: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
      sandbox: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
      ca: join(cli.data, 'tls', 'ca.pem'),
      data: cli.data,
      pid: serving.child.pid,
    })
  })

  test('its link opens the app once; "open --print" prints another', async () => {
    const printed = await run`open --print`
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    expect(printed.text).not.toBe(serving.info.ui)
    for (const address of [serving.info.ui, printed.text]) {
      const { host, port, search } = new URL(address)
      const ask = () => send(Number(port), [`GET /${search} HTTP/1.1`, `Host: ${host}`])
      expect((await ask()).status).toBe(303)
      expect((await ask()).status).toBe(403)
    }
  })

  test.skipIf(process.platform !== 'linux')(
    '"open" uses a file that only the user can read, so no process argument has the token or the key; it is removed once the link was used',
    async () => {
      const folder = join(cli.folder, 'browser')
      await mkdir(folder)
      // Stands in for the desktop's opener and records its argument.
      await writeFile(
        join(folder, 'xdg-open'),
        `#!/bin/sh\necho "$@" > '${folder}/given'\nstat -c %a "$1" > '${folder}/mode'\ncat "$1" > '${folder}/page'\n`,
        { mode: 0o755 },
      )
      const env = { DISPLAY: ':0', PATH: `${folder}:${process.env['PATH']}` }
      expect(await cli.given({ env }).runProcess`open`).toMatchObject({
        code: 0,
        text: '',
        stderr: '',
      })
      const kept = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim()
      expect([await kept('given'), await kept('mode')]).toEqual([
        join(cli.data, 'open.html'),
        '600',
      ])
      const [, address = ''] = /url=([^"]+)"/.exec(await kept('page')) ?? []
      const { host, port, search, hash } = new URL(address)
      expect(hash).toMatch(/^#key=[\w-]{43}$/)
      const other = new URL((await run`open --print`).text)
      for (const link of [other.search, search]) {
        expect(existsSync(join(cli.data, 'open.html'))).toBe(true)
        const answer = await send(Number(port), [`GET /${link} HTTP/1.1`, `Host: ${host}`])
        expect(answer.status).toBe(303)
      }
      await expect.poll(() => existsSync(join(cli.data, 'open.html'))).toBe(false)
    },
  )

  test.skipIf(process.platform !== 'linux')(
    '"open" prints the link if there is no display',
    async () => {
      const ran = await run`open`
      expect(ran.code).toBe(0)
      expect(ran.text).toMatch(/^http:.*token=/)
    },
  )

  test('its log contains no token', async () => {
    const { search } = new URL(serving.info.ui)
    const log = await readFile(join(cli.data, 'logs', 'countersign.log'), 'utf8')
    expect(log).not.toContain(search.slice('?token='.length))
  })

  test.skipIf(process.platform === 'win32')(
    'a folder whose lock file was deleted is never served twice; after a crash it starts again',
    async () => {
      const other = cli.newDataFolder()
      const first = await cli.serveProcess(other)
      for (const name of ['instance.lock', 'instance.json']) await rm(join(other, name))
      const again = cli.given({ data: other })
      // Both wait for seconds.
      const refused = [again.run`serve --json ${FREE_PORTS}`, again.run`deliveries`]
      expect(await Promise.all(refused)).toMatchObject([
        {
          code: 3,
          text: '',
          stderr: expect.stringContaining(`${other} is already in use by another process.`),
        },
        { code: 3, stderr: expect.stringContaining('End that process') },
      ])
      await first.stop('SIGKILL')
      await coreInFolder({ dataFolder: other })
    },
  )

  test('a port that is in use exits with 3 and names the holder', async () => {
    const holder = createServer()
    const port = await listen(holder)
    const other = cli.newDataFolder()
    const options = ['--ui-port', '--receiver-port', '--sandbox-port']
    try {
      for (const option of [...options, '--receiver-http-port']) {
        const free = options.filter((name) => name !== option).flatMap((name) => [name, '0'])
        const ran = await run`serve --json --data ${other} ${free} ${option} ${port}`
        expect([option, ran]).toMatchObject([option, { code: 3, text: '' }])
        expect(ran.stderr, option).toContain(String(port))
        if (process.platform === 'linux') expect(ran.stderr).toContain(`process ${process.pid}`)
        expect(await readdir(other)).not.toContain('instance.json')
      }
    } finally {
      await new Promise((resolve) => holder.close(resolve))
    }
  })

  test('prints the link and a working curl line for people; treats a doubled stop signal as one', async () => {
    const other = cli.newDataFolder()
    const child = cli.start`serve --data ${other} --no-open ${FREE_PORTS}`
    const output = linesOf(child)
    await output.until(11)
    const text = output.lines.join('\n')
    expect(text).toMatch(/App\s+http:\/\/127\.0\.0\.1:\d+\/\?token=/)
    const [, url = ''] = /(https:\/\/127\.0\.0\.1:\d+\/hello)/.exec(text) ?? []
    expect(await sendDelivery(join(other, 'tls', 'ca.pem'), { url, body: '{}' })).toBe(200)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) child.kill(signal)
    expect(await exitOf(child)).toBe(0)
    expect(await readdir(other)).not.toContain('instance.json')
  })

  test('listens on other addresses only with --dangerously-bind, with a warning', async () => {
    const data = cli.newDataFolder()
    const wide = cli.given({ data })
      .begin`serve --json ${FREE_PORTS} --host 0.0.0.0 --dangerously-bind --allow-ui-host build.example:9000`
    await wide.until(1)
    expect(wide.said()).toContain('other computers')
    const { port } = new URL((JSON.parse(wide.lines[0] ?? '') as { ui: string }).ui)
    const status = async (host: string) =>
      (await send(Number(port), ['GET / HTTP/1.1', `Host: ${host}`])).body.includes(
        'countersign open',
      )
    expect([
      await status('build.example:9000'),
      await status(`127.0.0.1:${port}`),
      await status('other.example:9000'),
    ]).toEqual([true, true, false])
    expect(await wide.stop()).toBe(0)
  })

  test.skipIf(process.platform === 'win32')(
    'stops when the npm that started it is gone',
    async () => {
      const other = cli.newDataFolder()
      const served = JSON.stringify(['serve', '--json', '--data', other, ...FREE_PORTS])
      const script = join(cli.folder, 'parent.mjs')
      await writeFile(
        script,
        `import { spawn } from 'node:child_process'
       const child = spawn(process.execPath, [${JSON.stringify(cli.entry())}, ...${served}], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
       child.stdout.once('data', (chunk) => process.stdout.write(chunk))
       setInterval(() => {}, 1_000)`,
      )
      const parent = cli.startScript(script, { env: { npm_command: 'exec' } })
      const output = linesOf(parent)
      await output.until(1)
      const { pid } = JSON.parse(output.lines[0] ?? '') as { pid: number }
      parent.kill('SIGKILL')
      await exitOf(parent)
      await expect.poll(() => isAlive(pid)).toBe(false)
      expect(await readdir(other)).not.toContain('instance.json')
    },
  )
})
