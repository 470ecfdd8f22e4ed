/** What an end-to-end test needs of the host that it runs on: one window, and where deliveries go. */
import type { Browser, BrowserContextOptions, Page } from '@playwright/test'
import type { Server } from './server.ts'

export interface HostOptions {
  readonly dataFolder: string
  readonly browser: Browser
  /** How the window looks: theme of the system, size, reduced motion. */
  readonly context: Pick<BrowserContextOptions, 'colorScheme' | 'viewport' | 'reducedMotion' | 'permissions'>
  /** What serves the app, for a host that needs a server. */
  readonly server: Server
}

export interface RunningHost {
  readonly page: Page
  /** `https://127.0.0.1:PORT`. */
  readonly receiver: string
  readonly caFile: string
  /** Ends it in an orderly way, the window with it. The data folder stays. */
  close(): Promise<void>
}

/** Starts the built application on a data folder. Each host's file exports one of these as `launchHost`. */
export type LaunchHost = (options: HostOptions) => Promise<RunningHost>
