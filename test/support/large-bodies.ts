/** Valid but large bodies, sent over HTTPS, for promise 16 and the memory benchmark. */
import { readFileSync } from 'node:fs'
import { createDeliverer, signedHeaders } from './deliver.ts'
import { connectRaw, type RawConnection } from './raw-http.ts'

export interface LargeBodyTarget {
  readonly receiver: string
  readonly caFile: string
}

export interface LoadResult {
  readonly statuses: readonly (number | null)[]
}

export const SECRET = 'secret of the large bodies'

export function manyMembers(count: number): string {
  return `{${Array.from({ length: count }, (_, index) => `"key${index}":${index}`).join(',')}}`
}

/** Returns a JSON object of about `bytes` bytes, with other keys for each `seed`. */
export function distinctMembers(bytes: number, seed: number): string {
  const members: string[] = []
  for (let size = 2, index = 0; size < bytes; index++) {
    const member = `"s${seed}k${index.toString(36)}":${index % 10}`
    members.push(member)
    size += member.length + 1
  }
  return `{${members.join(',')}}`
}

export async function sendBodies(
  { receiver, caFile }: LargeBodyTarget,
  bodies: Iterable<string>,
): Promise<LoadResult> {
  const deliverer = createDeliverer(caFile)
  const statuses: number[] = []
  try {
    const url = `${receiver}/h/large`
    for (const body of bodies)
      statuses.push(
        (await deliverer.send(url, { body, headers: signedHeaders(SECRET, body, url) })).status,
      )
  } finally {
    deliverer.close()
  }
  return { statuses }
}

/** Opens connections that each announce a body of `bytes` bytes and send all but the last byte. */
export async function stallBodies(
  { receiver, caFile }: LargeBodyTarget,
  count: number,
  bytes: number,
): Promise<readonly RawConnection[]> {
  const head = `POST /h/large HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`
  const body = Buffer.alloc(bytes - 1, 'a')
  const connections = await Promise.all(
    Array.from({ length: count }, () => connectRaw(receiver, caFile)),
  )
  for (const connection of connections) {
    connection.write(head)
    connection.write(body)
  }
  return connections
}

/** Returns the resident memory of a process, in MiB; null if the system doesn't report it. */
export function residentMebibytes(pid: number): number | null {
  if (process.platform !== 'linux') return null
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return kibibytes === undefined ? null : Number(kibibytes) / 1_024
}
