/**
 * Parts of the desktop app that tests need besides the window: its URLs, links opened in the
 * browser, and windows.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import type { BRIDGE } from '../../../src/shared/rpc/transport.ts'
import type { StandinRun } from '../../standin/run.ts'
import type { HostOptions, RunningHost } from './host.ts'
import type { Bridge } from '../../../src/renderer/host/choose-host.ts'

declare global {
  interface Window {
    readonly [BRIDGE]: Bridge
  }
}

export interface DesktopHost extends RunningHost {
  /** The app's root as the page knows it: `app://countersign/`, or the stand-in's URL for it. */
  readonly home: string
  readonly pid: number
  openedOutside(): Promise<string[]>
  windowCount(): Promise<number>
  /** Quits the app; resolves with the exit code. */
  quit(): Promise<number | null>
  /** The stand-in behind it; null in the real Electron. */
  readonly standin: StandinRun | null
}

export type LaunchDesktop = (
  options: Pick<HostOptions, 'dataFolder' | 'context'>,
) => Promise<DesktopHost>

export function desktopArguments(dataFolder: string): string[] {
  return ['--data', dataFolder, '--receiver-port', '0', '--sandbox-port', '0']
}

interface InstanceFile {
  readonly pid: number
  readonly control: object | null
  readonly receiver: string
  readonly ca: string
}

/** Reads the receiver's URL from `instance.json`. */
export async function readInstanceFile(dataFolder: string): Promise<InstanceFile> {
  const file = join(dataFolder, 'instance.json')
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const text = await readFile(file, 'utf8').catch(() => 'null')
    const instance = JSON.parse(text) as InstanceFile | null
    if (instance !== null && instance.control !== null) return instance
    await delay(50)
  }
  throw new Error(`${file} did not come to name a running instance.`)
}

/**
 * Applies a test's theme, size and motion setting to the window, as a browser context has from the
 * start.
 */
export async function applyAppearance(
  { page }: Pick<RunningHost, 'page'>,
  appearance: HostOptions['context'],
): Promise<void> {
  const { colorScheme, reducedMotion, viewport } = appearance
  await page.emulateMedia({
    ...(colorScheme === undefined ? {} : { colorScheme }),
    ...(reducedMotion === undefined ? {} : { reducedMotion }),
  })
  if (viewport !== undefined && viewport !== null) await page.setViewportSize(viewport)
}

/**
 * Resolves with the core's response to a command that the page sends itself; null if none arrives
 * within `ms`.
 */
export function askCore(
  page: Page,
  command: string,
  input: object,
  ms = 60_000,
): Promise<{ ok: boolean; output?: unknown } | null> {
  return page.evaluate(
    ({ asked, given, limit }) =>
      new Promise<{ ok: boolean } | null>((resolve) => {
        // Far from the IDs that the interface counts up from 1.
        const id = 1_000_000 + Math.floor(performance.now() * 1_000)
        const stop = window.countersign.onMessage((text) => {
          const message = JSON.parse(text) as { id?: number; ok: boolean }
          if (message.id !== id) return
          stop()
          resolve(message)
        })
        window.countersign.send(
          JSON.stringify({ kind: 'request', id, command: asked, input: given }),
        )
        setTimeout(() => {
          stop()
          resolve(null)
        }, limit)
      }),
    { asked: command, given: input, limit: ms },
  )
}

export async function importHook(page: Page, dataFolder: string, slug: string, secret: string) {
  const { receiver, ca } = await readInstanceFile(dataFolder)
  const hook = { url: `${receiver}/h/${slug}`, secret }
  const rest = { event: 'transaction.auth', environment: 'sandbox-test' }
  const answered = await askCore(page, 'hooks.import', { ...hook, ...rest })
  if (answered?.ok !== true) throw new Error(`The hook was refused: ${JSON.stringify(answered)}`)
  return { ...hook, ca }
}
