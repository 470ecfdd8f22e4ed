/** Tests whether a port can be used, for the settings: they apply at the next start, when a failure would be too late. */
import { createServer } from 'node:net'
import { AppError } from '../../shared/contract/errors.ts'

/** Rejects with `PORT_IN_USE` if another program listens on the port of this computer, or with `INVALID_INPUT` if it can't be used. */
export function checkPortFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new AppError(
              'PORT_IN_USE',
              `Port ${port} is in use. Choose another port, or stop the program that uses it.`,
              {
                details: { port },
              },
            )
          : new AppError(
              'INVALID_INPUT',
              `Couldn't open port ${port} (${error.message}). Choose a port from 1024 to 65535.`,
            ),
      )
    })
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve()
      })
    })
  })
}
