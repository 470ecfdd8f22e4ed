import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface StandInStart {
  readonly pid: number
  /** Port it actually listens on. */
  readonly origin: string
  readonly address: string
  readonly args: readonly string[]
  readonly env: readonly string[]
}

export interface StandIn {
  readonly folder: string
  readonly env: Record<string, string>
  starts(): Promise<StandInStart[]>
  refuse(): Promise<void>
}

const REFUSED = `echo '2026-11-21T10:00:00Z ERR Error requesting a quick Tunnel error="429 Too Many Requests"' >&2; exit 1`

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
 * Installs a script `ngrok` that reports `url`, or the given domain, and writes its arguments to
 * `log`.
 */
export async function installNgrokStandIn(folder: string, url: string, log: string): Promise<void> {
  const script = `#!/bin/sh
echo "$*" >> '${log}'
url='${url}'
for argument; do case "$argument" in https://*) url="$argument";; esac; done
[ "$2" = "$url" ] && url='${url}'
echo "t=2026-11-21T10:00:00+0000 lvl=info msg=\\"started tunnel\\" obj=tunnels name=command_line addr=$2 url=$url"
PATH="$PATH:/usr/bin:/bin" exec sleep 600
`
  await writeFile(join(folder, 'ngrok'), script, { mode: 0o755 })
}
