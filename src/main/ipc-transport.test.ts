import { EventEmitter } from 'node:events'
import { beforeEach, describe, expect, test } from 'vitest'
import { CHANNEL_TO_CORE, type Transport } from '../shared/rpc/transport.ts'
import { setupIpc, type SendToPage } from './ipc-transport.ts'

const pageUrl = 'app://countersign/'

class Contents extends EventEmitter {
  readonly sent: string[] = []
  destroyed = false
  isDestroyed() {
    return this.destroyed
  }
  send(_channel: string, text: string) {
    this.sent.push(text)
  }
}

interface Connection {
  readonly heard: string[]
  readonly transport: Transport
  closed: boolean
}

describe('the connection of a window', () => {
  let ipc: EventEmitter
  let own: Contents
  let connections: Connection[]
  let refused: (string | null)[]
  let sendToPage: SendToPage

  const say = (
    text: unknown,
    { sender = own, frame }: { sender?: Contents; frame?: object | null } = {},
  ) =>
    ipc.emit(
      CHANNEL_TO_CORE,
      {
        sender,
        senderFrame: frame === undefined ? { url: `${pageUrl}#/deliveries`, parent: null } : frame,
      },
      text,
    )

  beforeEach(() => {
    ipc = new EventEmitter()
    own = new Contents()
    connections = []
    refused = []
    sendToPage = setupIpc(ipc as unknown as Parameters<typeof setupIpc>[0], {
      pageUrl,
      isOwnWindow: (contents) => (contents as unknown) === own,
      connect(transport) {
        const connection: Connection = { heard: [], transport, closed: false }
        transport.onMessage((text) => connection.heard.push(text))
        connections.push(connection)
        return () => {
          connection.closed = true
        }
      },
      onRefused: (url) => refused.push(url),
    })
  })

  test('starts with the first message and carries text both ways', () => {
    say('one')
    say('two')
    expect(connections).toHaveLength(1)
    expect(connections[0]?.heard).toEqual(['one', 'two'])
    connections[0]?.transport.send('answer')
    expect(own.sent).toEqual(['answer'])
  })

  test('closes with its document; the next document gets its own', () => {
    say('one')
    own.emit('did-navigate')
    expect(connections[0]?.closed).toBe(true)
    say('two')
    expect(connections).toHaveLength(2)
    expect(connections[0]?.heard).toEqual(['one'])
    expect(connections[1]?.heard).toEqual(['two'])
    expect(own.listenerCount('did-navigate')).toBe(1)
  })

  test.each(['destroyed', 'render-process-gone'])('closes when the window is gone: %s', (event) => {
    say('one')
    own.destroyed = true
    own.emit(event)
    expect(connections[0]?.closed).toBe(true)
    connections[0]?.transport.send('too late')
    expect(own.sent).toEqual([])
  })

  test('rejects frames, other pages, other windows and closed frames', () => {
    say('a', { frame: { url: pageUrl, parent: { url: pageUrl } } })
    say('b', { frame: { url: 'about:blank', parent: null } })
    say('c', { frame: { url: 'data:text/html,x', parent: null } })
    say('d', { frame: null })
    say('e', { sender: new Contents() })
    say({ not: 'text' })
    say(undefined)
    expect(connections).toEqual([])
    expect(refused).toEqual([
      pageUrl,
      'about:blank',
      'data:text/html,x',
      null,
      `${pageUrl}#/deliveries`,
      ...Array(2).fill(`${pageUrl}#/deliveries`),
    ])
  })

  test("the host's own events wait for the page, and again after a reload", () => {
    const text = (action: string) =>
      JSON.stringify({ kind: 'native', event: 'native.action', payload: { action } })
    sendToPage('native.action', { action: 'import' })
    sendToPage('native.action', { action: 'export' })
    expect(own.sent).toEqual([])
    say('one')
    expect(own.sent).toEqual([text('import'), text('export')])
    sendToPage('native.action', { action: 'palette' })
    own.emit('did-navigate')
    sendToPage('native.action', { action: 'go-settings' })
    expect(own.sent.slice(2)).toEqual([text('palette')])
    say('two')
    expect(own.sent.slice(3)).toEqual([text('go-settings')])
  })
})
