/** Reads deliveries in order through the contract: the newest ones page by page, and those that arrive from now on. */
import type { Delivery } from '../shared/model/delivery.ts'
import type { Client } from '../shared/rpc/client.ts'
import type { Session } from './session.ts'

const PAGE = 1_000

/** Which deliveries are read, and whether known secrets and values of custom headers are hidden in them. */
interface Wanted {
  readonly query: string
  readonly masked: boolean
}

/** The newest `limit` deliveries that match, newest first. */
export async function newestDeliveries(
  client: Client,
  { query, masked, limit }: Wanted & { readonly limit: number },
): Promise<Delivery[]> {
  const found: Delivery[] = []
  while (found.length < limit) {
    const size = Math.min(PAGE, limit - found.length)
    const before = found.at(-1)?.seq
    const page = { query, masked, limit: size, ...(before === undefined ? {} : { before }) }
    const { items } = await client.call('deliveries.list', page)
    found.push(...items)
    if (items.length < size) break
  }
  return found
}

/** The seq of the newest delivery stored, whatever it is; 0 where there is none. */
export async function fetchNewestSeq(client: Client): Promise<number> {
  const { items } = await client.call('deliveries.list', { limit: 1 })
  return items[0]?.seq ?? 0
}

/**
 * Hands on the deliveries that match and come after `seq`, oldest first, until `take` returns true (`done`), the signal
 * aborts (`aborted`) or the instance has gone (`gone`). An event only says that something came; what, is read from the list,
 * so that a burst of which events tell but a part is whole here.
 */
export async function followDeliveries(
  session: Session,
  options: Wanted & {
    readonly after: number
    readonly signal: AbortSignal
    /** `event:` alone matches identified events only. */
    readonly identified?: true
    /** Hands on only what was received here or whose signature is verified here; an imported one as soon as it is. */
    readonly verified?: true
  },
  take: (deliveries: readonly Delivery[]) => boolean,
): Promise<'done' | 'aborted' | 'gone'> {
  const { client } = session
  let after = options.after
  /** Numbers of the newest deliveries that only a file vouches for. */
  let claims: number[] = []
  let gone = false
  let wake: () => void = () => undefined
  let pending = true
  const nudge = () => {
    pending = true
    wake()
  }
  const stops = [client.on('deliveries.changed', nudge), client.onGap(nudge)]
  options.signal.addEventListener('abort', nudge, { once: true })
  void session.closed.then(() => {
    gone = true
    nudge()
  })
  try {
    for (;;) {
      if (options.signal.aborted) return 'aborted'
      if (gone) return 'gone'
      if (!pending) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      pending = false
      // With `after` alone the list gives the oldest of what came after it, so that page by page none is missed.
      const pageAfter = (seq: number) =>
        client.call('deliveries.list', {
          query: options.query,
          masked: options.masked,
          limit: PAGE,
          after: seq,
          identified: options.identified === true,
        })
      const isWanted = ({ verifiedHere }: Delivery) => options.verified !== true || verifiedHere
      const [firstClaim] = claims
      const proved =
        firstClaim === undefined
          ? []
          : (await pageAfter(firstClaim - 1)).items.filter((one) => claims.includes(one.seq) && isWanted(one))
      const { items } = await pageAfter(after)
      after = items[0]?.seq ?? after
      if (items.length === PAGE) pending = true
      const left = claims.filter((seq) => !proved.some((one) => one.seq === seq))
      const found = items.toReversed()
      claims = [...left, ...found.filter((one) => !isWanted(one)).map(({ seq }) => seq)].slice(-PAGE)
      const wanted = [...proved.toReversed(), ...found.filter(isWanted)]
      if (wanted.length > 0 && take(wanted)) return 'done'
    }
  } finally {
    for (const stop of stops) stop()
    options.signal.removeEventListener('abort', nudge)
  }
}
