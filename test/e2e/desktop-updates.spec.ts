/**
 * A new version is found with electron-updater on the stand-in. This Linux app isn't signed, so it
 * only says where the version is; `src/main/updates.test.ts` has the rest.
 */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { RESOURCES_VARIABLE } from '../standin/chromium.ts'
import { runStandin } from '../standin/run.ts'
import { desktopArguments } from './hosts/desktop-host.ts'
import { hostName } from './hosts/launch-desktop.ts'
import { buttonIn, click, dialogIn } from './controls.ts'

test.skip(
  hostName !== 'standin',
  'the server and the installed app are replaced on the stand-in only',
)
test.skip(process.platform !== 'linux', 'runs as an AppImage')
test.use({ trace: 'off' })

const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))

test('a check that the user asks for finds the new version, and sends neither ID nor version', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-update-'))
  const requests: IncomingHttpHeaders[] = []
  const server = createServer(({ headers }, response) => {
    requests.push(headers)
    response.end(
      JSON.stringify({
        version: '99.0.0',
        files: [{ url: 'Countersign-99.0.0.AppImage', sha512: 'x', size: 1 }],
      }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const resources = join(folder, 'resources')
  mkdirSync(resources)
  writeFileSync(
    join(resources, 'app-update.yml'),
    `provider: generic\nurl: http://127.0.0.1:${(server.address() as AddressInfo).port}\nupdaterCacheDirName: countersign-updater\n`,
  )
  const run = await runStandin(main, desktopArguments(join(folder, 'data')), {
    ...process.env,
    APPIMAGE: join(folder, 'Countersign.AppImage'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    [RESOURCES_VARIABLE]: resources,
  })
  try {
    const { page } = run
    await page.getByRole('contentinfo').getByText('0 stored deliveries').waitFor()
    expect(requests).toEqual([])

    await run.ask('shell', { shell: 'click', menu: 'application', id: 'updates' })
    const dialog = dialogIn(page, 'Updates')
    await expect(dialog.getByRole('status')).toContainText('Countersign 99.0.0 is available')
    await expect(dialog.getByRole('status')).toContainText('Get the new one from https://')
    await expect(buttonIn(dialog, 'Open the download page')).toBeVisible()
    await expect(buttonIn(dialog, 'Download', { exact: true })).toHaveCount(0)
    expect(requests).toHaveLength(1)
    expect(requests[0]?.['x-user-staging-id']).toBe('none')
    expect(JSON.stringify(requests[0])).not.toMatch(/countersign|\d+\.\d+\.\d+ /i)

    await buttonIn(dialog, 'Close').last().click()
    await click(page, 'Countersign 99.0.0 available')
    await expect(dialog).toBeVisible()
  } finally {
    await run.close()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
})
