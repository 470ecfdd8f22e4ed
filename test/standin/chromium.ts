/** Starts the stand-in's Chromium: the stand-in uses a pipe, Playwright a separate port. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { testChromiumArguments, findChromium } from '../../scripts/lib/chromium.ts'
import { connectPipe, type CdpConnection } from './cdp.ts'

export interface Chromium {
  readonly cdp: CdpConnection
  readonly endpoint: string
  kill(): void
}

/** Variable with the folder of Chromium's profile, which the caller removes afterwards. */
export const PROFILE_VARIABLE = 'COUNTERSIGN_STANDIN_PROFILE'

/** Variable that makes the app an installed one, with the folder of its resources. */
export const RESOURCES_VARIABLE = 'COUNTERSIGN_STANDIN_RESOURCES'

/**
 * Starts Chromium without a window.
 * @param onExit Called if Chromium exits on its own.
 */
export async function startChromium(onExit: () => void): Promise<Chromium> {
  const executable = findChromium()
  if (executable === null)
    throw new Error('The stand-in for electron needs a Chromium; CHROMIUM names one.')
  const given = process.env[PROFILE_VARIABLE]
  const profile = given ?? mkdtempSync(join(tmpdir(), 'countersign-standin-'))
  const child = spawn(
    executable,
    [
      ...testChromiumArguments,
      '--headless=new',
      '--no-startup-window',
      '--remote-debugging-pipe',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      '--hide-scrollbars=false',
      // A page that may use them finds a camera and a microphone, so that a refusal is the app's.
      '--use-fake-device-for-media-stream',
      // Chromium's own sandbox refuses to run as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      // Invisible pages of the address bar cost a process and a second of processor time at each
      // start.
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
    ],
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] },
  )
  const kill = () => {
    child.kill('SIGKILL')
    if (given === undefined)
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
  process.once('exit', kill)
  child.once('exit', onExit)

  const errors = child.stdio[2] as Readable
  const endpoint = await new Promise<string>((resolve, reject) => {
    let stderrText = ''
    errors.setEncoding('utf8')
    errors.on('data', (text: string) => {
      stderrText += text
      const url = /DevTools listening on (ws:\S+)/.exec(stderrText)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('exit', (code) => {
      reject(new Error(`Chromium ended (${code}) before it could be driven:\n${stderrText}`))
    })
  })
  return {
    cdp: connectPipe(child.stdio[3] as Writable, child.stdio[4] as Readable),
    endpoint,
    kill,
  }
}
