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

/** A script `ngrok` in a stand-in's folder that reports `url`, or the given domain, and writes its arguments to the file `log`. */
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
