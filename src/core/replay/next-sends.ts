/** Hands out the sends of a job in order. They are read page by page, the next page while the present one is sent. */
import type { WaitingSend } from '../store/waiting-sends.ts'

/** The next sends after a place, in order; none where none waits. */
export type NextPage = (after: number) => Promise<readonly WaitingSend[]>

/** Gives the function that hands out the next one, null where none is left. Several may ask at once. */
export function createNextSends(nextPage: NextPage): () => Promise<WaitingSend | null> {
  let page: readonly WaitingSend[] = []
  let index = 0
  let isLast = false
  let coming: Promise<readonly WaitingSend[]> | null = null
  let after = 0
  let turning: Promise<void> | null = null

  async function turn(): Promise<void> {
    page = await (coming ?? nextPage(after))
    index = 0
    const last = page.at(-1)
    isLast = last === undefined
    after = last?.position ?? after
    coming = last === undefined ? null : nextPage(after)
    // Who asks for what comes hears of a failure; until then nobody does.
    coming?.catch(() => undefined)
  }

  return async () => {
    while (index >= page.length) {
      if (isLast) return null
      turning ??= turn().finally(() => {
        turning = null
      })
      await turning
    }
    return page[index++] ?? null
  }
}
