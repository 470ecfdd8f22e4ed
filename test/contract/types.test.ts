/**
 * Tests what the contract's types reject: each marked line must not compile, or `npm run typecheck`
 * fails.
 */
import { expectTypeOf, test } from 'vitest'
import type { Delivery } from '../../src/shared/model/delivery.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import type { Handlers } from '../../src/shared/rpc/router.ts'
import type { RpcConnection } from '../../src/shared/rpc/served-connection.ts'
import type { ReadyJson } from '../../src/shared/rpc/ready-json.ts'

test('a call is typed by its command name', () => {
  expectTypeOf<Handlers['deliveries.get']>().returns.resolves.toEqualTypeOf<
    Delivery | ReadyJson<Delivery>
  >()
  expectTypeOf<Parameters<Handlers['deliveries.list']>[0]['limit']>().toEqualTypeOf<number>()

  const calls = (client: Client) => {
    expectTypeOf(client.call('deliveries.get', { id: 'latest' })).resolves.toEqualTypeOf<Delivery>()
    // Callers may omit fields with a default.
    void client.call('deliveries.list', {})
    // @ts-expect-error there is no such command
    void client.call('deliveries.erase', {})
    // @ts-expect-error the id is missing
    void client.call('deliveries.get', {})
    // @ts-expect-error the id is a text
    void client.call('deliveries.get', { id: 7 })
    // @ts-expect-error the input has no such field
    void client.call('deliveries.get', { id: 'latest', secret: true })
    // @ts-expect-error a native command is not one of the contract's
    void client.call('native.showInFolder', { what: 'data' })
    // @ts-expect-error nothing else can be shown
    void client.callNative('native.showInFolder', { what: '/etc' })
  }
  expectTypeOf(calls).returns.toBeVoid()
})

test('an event is typed by its name, for listeners and emitters', () => {
  const listens = (client: Client) => {
    client.on('deliveries.changed', ({ added }) =>
      expectTypeOf(added[0]?.id).toEqualTypeOf<string | undefined>(),
    )
    // @ts-expect-error there is no such event
    client.on('deliveries.erased', () => {})
    // @ts-expect-error the payload has no such field
    client.on('receiver.changed', ({ port }) => port)
  }
  const emits = (connection: RpcConnection) => {
    const rest = { url: null, publicUrl: null, httpUrl: null, problem: null }
    connection.emit('receiver.changed', { state: 'off', ...rest })
    // @ts-expect-error the payload is not whole
    connection.emit('receiver.changed', { state: 'off' })
    // @ts-expect-error there is no such state
    connection.emit('receiver.changed', { state: 'asleep', ...rest })
    // @ts-expect-error there is no such event
    connection.emit('deliveries.erased', {})
  }
  expectTypeOf(listens).returns.toBeVoid()
  expectTypeOf(emits).returns.toBeVoid()
})

test('a missing handler does not compile', () => {
  const status: Handlers['receiver.pause'] = async () => ({
    state: 'paused',
    url: null,
    publicUrl: null,
    httpUrl: null,
    problem: null,
  })
  const forgetful = () => {
    // @ts-expect-error all the other commands have no handler
    const handlers: Handlers = { 'receiver.pause': status, 'receiver.resume': status }
    return handlers
  }
  expectTypeOf(forgetful).returns.toEqualTypeOf<Handlers>()
})
