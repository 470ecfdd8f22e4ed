/** Stand-ins for tunnel tools, installed where the real ones would be. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Reported by the stand-in when it starts. */
export interface StandInStart {
  readonly pid: number
  /** The port it actually listens on. */
  readonly origin: string
  readonly address: string
  readonly args: readonly string[]
  readonly env: readonly string[]
}

export interface StandIn {
  /** Folder for the PATH. */
  readonly folder: string
  /** Environment variables for starting a tool: a PATH with only the stand-in, and its mode. */
  readonly env: Record<string, string>
  starts(): Promise<StandInStart[]>
  /** From now on, it gets no tunnel. */
  refuse(): Promise<void>
}

/** Its output if the service provides no tunnel. */
const REFUSED = `echo '2026-11-21T10:00:00Z ERR Error requesting a quick Tunnel error="429 Too Many Requests"' >&2; exit 1`

/** A script `cloudflared` in a separate folder. */
export async function installStandIn(below: string, mode = 'works'): Promise<StandIn> {
  const folder = join(below, 'stand-in')
  const log = join(folder, 'starts.jsonl')
  await mkdir(folder, { recursive: true })
  const script = fileURLToPath(new URL('standin-cloudflared.ts', import.meta.url))
  const put = (work: string) =>
    writeFile(join(folder, 'cloudflared'), `#!/bin/sh\n${work}\n`, { mode: 0o755 })
  await put(mode === 'refused' ? REFUSED : `exec "${process.execPath}" "${script}" "$@"`)
  return {
    folder,
    env: { PATH: folder, STANDIN_MODE: mode, STANDIN_LOG: log },
    refuse: () => put(REFUSED),
    async starts() {
      const text = await readFile(log, 'utf8').catch(() => '')
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as StandInStart)
    },
  }
}

/**
 * A package `@ngrok/ngrok` in the plugins of a data folder. It returns `address` as its own for every token except those marked as
 * wrong, and logs its calls and closed listeners to the file `log`.
 */
export async function installNgrokStandIn(
  dataFolder: string,
  address: string,
  log: string,
): Promise<void> {
  const folder = join(dataFolder, 'plugins', 'node_modules', '@ngrok', 'ngrok')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: '@ngrok/ngrok', version: '1.0.0', main: 'index.js' }),
  )
  await writeFile(
    join(folder, 'index.js'),
    `const { appendFileSync } = require('node:fs')
const tell = (value) => appendFileSync(${JSON.stringify(log)}, JSON.stringify(value) + '\\n')
class Listener {
  #address
  constructor(address) { this.#address = address }
  url() { return this.#address }
  async close() { tell({ closed: this.#address }) }
}
exports.forward = async (config) => {
  tell(config)
  if (config.authtoken.includes('wrong'))
    throw new Error('failed to connect session: authentication failed: The authtoken you specified is ' + config.authtoken + '. ERR_NGROK_105')
  return new Listener(config.domain ? 'https://' + config.domain : ${JSON.stringify(address)})
}
`,
  )
}
