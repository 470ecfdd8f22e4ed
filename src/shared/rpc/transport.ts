/** Transport of messages as JSON text. The connection's owner reports its loss to the client. */
export interface Transport {
  send(text: string): void
  /** Returns a function that unsubscribes. */
  onMessage(listener: (text: string) => void): () => void
  /** Counts unread bytes, if they pile up in this process. */
  unread?(): number
  readonly session?: string
  /** Set for the app's window, whose user can be asked. */
  readonly isWindow?: true
  end?(reason: string): void
}

/** Global variable of the preload's transport. */
export const BRIDGE = 'countersign'
export const CHANNEL_TO_CORE = 'countersign:to-core'
export const CHANNEL_FROM_CORE = 'countersign:from-core'
