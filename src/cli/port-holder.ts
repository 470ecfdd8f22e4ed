/** Finds the process that listens on a port, for an error message; not finding it is fine. */
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'

interface PortHolder {
  readonly pid: number
  /** Program name without arguments, which may contain secrets. */
  readonly name: string | null
}

const PATIENCE_MS = 2_000
/** State of a listening socket in /proc/net/tcp. */
const LISTENING = '0A'

function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) =>
    execFile(command, args, { timeout: PATIENCE_MS, windowsHide: true }, (error, stdout) =>
      resolve(error === null ? stdout : ''),
    ),
  )
}

/**
 * Returns the kernel's numbers of the sockets that listen on the port, from /proc/net/tcp. Its
 * columns begin with `sl local_address rem_address st`, with ports in hexadecimal.
 */
export function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([, local = '', , state, , , , , , inode]) => ({ local, state, inode }))
    .filter(({ local, state }) => local.endsWith(suffix) && state === LISTENING)
    .flatMap(({ inode }) => inode ?? [])
}

async function holdsSocket(pid: string, links: ReadonlySet<string>): Promise<boolean> {
  // Other users' processes hide their files, and processes may end meanwhile.
  const handles = await readdir(`/proc/${pid}/fd`).catch(() => [])
  for (const handle of handles) {
    const link = await readlink(`/proc/${pid}/fd/${handle}`).catch(() => '')
    if (links.has(link)) return true
  }
  return false
}

/** Returns the executable's name: Node's process name is just "MainThread". */
async function programOf(pid: string): Promise<string | null> {
  const file = await readlink(`/proc/${pid}/exe`).catch(() => '')
  const name =
    basename(file).replace(/ \(deleted\)$/, '') ||
    (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
  return name === '' ? null : name
}

async function findOnLinux(port: number): Promise<PortHolder | null> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  )
  const links = new Set(
    tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`),
  )
  if (links.size === 0) return null
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (!(await holdsSocket(pid, links))) continue
    return { pid: Number(pid), name: await programOf(pid) }
  }
  return null
}

async function findWithLsof(port: number): Promise<PortHolder | null> {
  const fields = (await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'])).split('\n')
  const pid = fields.find((field) => field.startsWith('p'))?.slice(1)
  return pid === undefined
    ? null
    : { pid: Number(pid), name: fields.find((field) => field.startsWith('c'))?.slice(1) ?? null }
}

async function findWithNetstat(port: number): Promise<PortHolder | null> {
  const rows = (await run('netstat', ['-ano', '-p', 'tcp']))
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const pid = rows.find(
    (fields) => fields[1]?.endsWith(`:${port}`) === true && fields[2]?.endsWith(':0') === true,
  )?.[4]
  if (pid === undefined) return null
  const task = await run('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'])
  return { pid: Number(pid), name: /^"([^"]+)"/.exec(task.trim())?.[1] ?? null }
}

/** Finds the process that listens on `port`; null if none does or the system doesn't show it. */
export async function findPortHolder(port: number): Promise<PortHolder | null> {
  if (process.platform === 'linux') return findOnLinux(port)
  return process.platform === 'win32' ? findWithNetstat(port) : findWithLsof(port)
}
