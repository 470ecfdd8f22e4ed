/** A router with handlers from the test, served on one kind of wire, and its clients. */
import { AppError } from '../../src/shared/contract/errors.ts'
import { commands, type CommandName } from '../../src/shared/contract/contract.ts'
import { RpcClient, type Client } from '../../src/shared/rpc/client.ts'
import { RpcRouter, type Handlers, type NativeHandlers } from '../../src/shared/rpc/router.ts'
import type { RpcConnection } from '../../src/shared/rpc/served-connection.ts'
import type { Wire, Wires } from './wires.ts'

export interface Bug {
  readonly error: unknown
  readonly command: string
  readonly ref: string
}

export interface Connected extends Wire {
  readonly client: Client
  readonly connection: RpcConnection
  /** Every text the core sent on this connection, in order. */
  readonly fromCore: string[]
}

export interface Stage {
  readonly bugs: readonly Bug[]
  connect(): Promise<Connected>
}

/** Handlers that reject everything the test didn't define. */
function handlersWith(own: Partial<Handlers>): Handlers {
  const refuse = async (): Promise<never> => {
    throw new AppError('UNSUPPORTED', 'This test does not serve the command.')
  }
  const names = Object.keys(commands) as CommandName[]
  return { ...Object.fromEntries(names.map((name) => [name, refuse])), ...own } as Handlers
}

export function createStage(wires: Wires, own: Partial<Handlers>, native?: NativeHandlers): Stage {
  const bugs: Bug[] = []
  const router = new RpcRouter({
    handlers: handlersWith(own),
    ...(native === undefined ? {} : { native }),
    checkOutput: true,
    windowConsent: () => ({ allowHosts: [], live: [] }),
    reportBug(error, command) {
      const ref = `bug-${bugs.length + 1}`
      bugs.push({ error, command, ref })
      return ref
    },
  })
  return {
    bugs,
    async connect() {
      const wire = await wires.open()
      const fromCore: string[] = []
      wire.caller.onMessage((text) => fromCore.push(text))
      const connection = router.connect(wire.core)
      return { ...wire, client: new RpcClient(wire.caller), connection, fromCore }
    },
  }
}
