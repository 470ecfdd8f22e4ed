import { createServer } from 'node:net'

/** Ports on loopback that nothing listens on now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(
    servers.map((server) => new Promise((resolve) => server.once('listening', resolve))),
  )
  const found = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return found
}
