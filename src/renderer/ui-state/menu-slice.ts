/** The context menu of deliveries, and its actions that no other feature has. */
import { utf8Text } from '../../shared/body/encoding.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { narrowed } from '../../shared/query/edit-query.ts'
import { deliveryMarkdown, MARKDOWN_BODY_BYTES } from '../../shared/text/delivery-markdown.ts'
import { MASKED_BEYOND } from '../../shared/text/mask.ts'
import type { Client } from '../../shared/rpc/client.ts'
import type { Notice } from '../core-data/act.ts'
import { readBodyPieces } from '../core-data/use-body.ts'
import { copyText } from '../ui/copy.tsx'
import type { FeatureTools } from './feature-tools.ts'
import type { MenuValue } from '../ui/menu-value.ts'

interface OpenMenu {
  readonly at: { readonly x: number; readonly y: number }
  readonly rows: readonly DeliveryRow[]
  readonly value: MenuValue | null
}

interface MenuContext {
  readonly filter: { readonly draft: string; setDraft(draft: string): void; apply(): void }
  readonly navigation: { go(screen: 'deliveries'): void }
  readonly compare: {
    start(
      left: { kind: 'delivery'; id: string } | null,
      right: { kind: 'delivery'; id: string },
    ): Promise<unknown>
  }
}

const initialState: { readonly opened: OpenMenu | null } = { opened: null }

/** Returns a delivery as Markdown, with secrets masked by the core. */
async function deliveryAsMarkdown(client: Client, id: string): Promise<string> {
  const [delivery, signature, bytes] = await Promise.all([
    client.call('deliveries.get', { id, masked: 'strict' }),
    client.call('deliveries.signature', { id }).catch(() => null),
    readBodyPieces(client, 'deliveries.body', id, { most: MARKDOWN_BODY_BYTES + MASKED_BEYOND }),
  ])
  const cause = delivery.verdict === 'invalid' ? (signature?.diagnosis ?? null) : null
  const { value } = await client.call('exchange.mask', {
    ids: [id],
    masked: 'strict',
    value: [utf8Text(bytes, true), cause?.message ?? '', cause?.fix ?? ''],
  })
  const [body = null, message = '', fix = ''] = value as string[]
  return deliveryMarkdown({
    delivery,
    cause: message === '' ? null : { message, fix },
    body: body && body.slice(0, MARKDOWN_BODY_BYTES),
  })
}

const CLIPBOARD_BLOCKED: Notice = {
  tone: 'bad',
  title: "Couldn't copy",
  message: 'The browser blocked access to the clipboard. Allow it, then try again.',
}

export function createMenuSlice({
  client,
  act,
  notify,
  set,
  app,
}: FeatureTools<typeof initialState, MenuContext>) {
  const reportCopy = (isCopied: boolean, title: string) =>
    notify(isCopied ? { tone: 'ok', title } : CLIPBOARD_BLOCKED)

  return {
    ...initialState,

    open(menu: OpenMenu) {
      set({ opened: menu })
    },
    close() {
      set({ opened: null })
    },
    filterBy(term: string) {
      const { filter, navigation } = app()
      navigation.go('deliveries')
      filter.setDraft(narrowed(filter.draft, term))
      filter.apply()
    },
    async copy(text: string, title: string) {
      reportCopy(await copyText(text), title)
    },
    async copyBody(row: DeliveryRow) {
      await act("Couldn't copy the body", async () => {
        const text = utf8Text(
          await readBodyPieces(client, 'deliveries.body', row.id, { most: MOST_COPIED }),
          false,
        )
        if (text === null)
          notify({
            tone: 'bad',
            title: "Couldn't copy the body",
            message: "It isn't text. Save it from the Raw tab.",
          })
        else
          reportCopy(
            await copyText(text),
            row.bodySize > MOST_COPIED ? 'Copied the start of the body' : 'Copied the body',
          )
      })
    },
    /** Copies verdict, request and body as Markdown, with secrets masked. */
    async copyMarkdown(row: DeliveryRow) {
      await act("Couldn't copy as Markdown", async () => {
        const text = await deliveryAsMarkdown(client, row.id)
        reportCopy(await copyText(text), 'Copied as Markdown')
      })
    },
    /** Compares a delivery with the previous one of its hook and event. */
    async comparePrevious(row: DeliveryRow) {
      await act("Couldn't find the previous delivery", async () => {
        const { row: previous } = await client.call('compare.neighbour', {
          deliveryId: row.id,
          by: -1,
        })
        if (previous === null)
          notify({
            tone: 'ok',
            title: 'No earlier delivery',
            message: `This is the first delivery of its ${row.hookId === null ? 'path' : 'hook'} and event.`,
          })
        else
          await app().compare.start(
            { kind: 'delivery', id: previous.id },
            { kind: 'delivery', id: row.id },
          )
      })
    },
  }
}

/** Most bytes of a body to copy; few programs paste more. */
const MOST_COPIED = 16 * 1_048_576
