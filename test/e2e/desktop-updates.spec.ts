/**
 * An update from the menu to the new version's start, on the stand-in: the parts of `src/main/update-engine.test.ts` are connected to the
 * window and to quitting. The installed app is an AppImage that is a shell script.
 */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { signedBytes } from '../../src/main/update-engine.ts'
import { type Change, CHANGE_VARIABLE } from '../standin/mutants.ts'
import { RESOURCES_VARIABLE } from '../standin/chromium.ts'
import { runStandin } from '../standin/run.ts'
import { desktopArguments, readInstanceFile } from './hosts/desktop-host.ts'
import { hostName } from './hosts/launch-desktop.ts'

test.skip(
  hostName !== 'standin',
  'the feed and the installed app are replaced on the stand-in only',
)
test.skip(process.platform !== 'linux', 'replaces an AppImage')
test.use({ trace: 'off' })

const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))

test('an update is downloaded and installed only when the user asks, after the core has closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-update-'))
  const data = join(folder, 'data')
  const started = join(folder, 'started')
  const appImage = join(folder, 'Countersign.AppImage')
  /** Says whether the core still runs, and with which arguments it was started. */
  const newVersion = Buffer.from(
    `#!/bin/sh\n{ test -e '${join(data, 'instance.json')}' && echo open || echo closed; echo "$*"; } > '${started}'\n`,
  )
  writeFileSync(appImage, '#!/bin/sh\n')
  chmodSync(appImage, 0o755)

  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const sha512 = createHash('sha512').update(newVersion).digest('base64')
  const file = { url: 'Countersign-99.0.0.AppImage', sha512, size: newVersion.length }
  const metadata = JSON.stringify({
    version: '99.0.0',
    releaseDate: '2026-11-20T10:00:00Z',
    files: [file],
  })
  const requests: string[] = []
  const server = createServer(({ url = '' }, response) => {
    const name = url.slice(1).replace(/\.sig$/, '')
    requests.push(url.slice(1))
    if (url.endsWith('.sig'))
      response.end(
        sign(null, signedBytes(name, Buffer.from(metadata)), privateKey).toString('base64'),
      )
    else response.end(url.endsWith('.yml') ? metadata : newVersion)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const resources = join(folder, 'resources')
  mkdirSync(resources)
  writeFileSync(
    join(resources, 'app-update.yml'),
    `provider: generic\nurl: http://127.0.0.1:${(server.address() as AddressInfo).port}\nupdaterCacheDirName: countersign-updater\n`,
  )

  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const run = await runStandin(main, desktopArguments(data), {
    ...process.env,
    APPIMAGE: appImage,
    XDG_CACHE_HOME: join(folder, 'cache'),
    [RESOURCES_VARIABLE]: resources,
    // A build has its keys inside.
    [CHANGE_VARIABLE]: JSON.stringify([
      { find: 'var update_keys_default=[];', replace: `var update_keys_default=["${key}"];` },
    ] satisfies Change[]),
  })
  try {
    const { page } = run
    const exited = once(run.process, 'exit')
    await page.getByRole('contentinfo').getByText('0 deliveries').waitFor()
    await readInstanceFile(data)
    expect(requests).toEqual([])

    await run.ask('shell', { shell: 'click', menu: 'application', id: 'updates' })
    const dialog = page.getByRole('dialog', { name: 'Updates' })
    await expect(dialog.getByRole('status')).toContainText('Countersign 99.0.0 is available')
    expect(requests.filter((name) => name.endsWith('.AppImage'))).toEqual([])

    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Countersign 99.0.0 available' }).click()
    await dialog.getByRole('button', { name: 'Download' }).click()
    await expect(dialog.getByRole('status')).toContainText('Countersign 99.0.0 is ready')
    expect([readFileSync(appImage, 'utf8'), existsSync(started)]).toEqual(['#!/bin/sh\n', false])

    await dialog.getByRole('button', { name: 'Restart to update' }).click()
    expect((await exited)[0]).toBe(0)
    await expect(() => {
      expect(readFileSync(started, 'utf8')).toBe(`closed\n${desktopArguments(data).join(' ')}\n`)
    }).toPass()
    expect(readFileSync(appImage)).toEqual(newVersion)
  } finally {
    await run.close()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
})
