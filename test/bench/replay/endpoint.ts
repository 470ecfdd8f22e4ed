/**
 * The endpoint of the replay benchmark, in a separate process: plain HTTP, reads and returns 200. Prints its port; exits when its
 * stdin closes.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  request.on('end', () => {
    response.writeHead(200, { 'content-length': '0' })
    response.end()
  })
  request.resume()
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
