/** The open context menu of deliveries, and what its entries do that no other feature does. */
import { utf8Text } from '../../shared/body/encoding.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { narrowed } from '../../shared/query/terms.ts'
import { deliveryMarkdown, MARKDOWN_BODY_BYTES } from '../../shared/text/delivery-markdown.ts'
import { MASKED_BEYOND } from '../../shared/text/masked.ts'
import { readBodyPieces } from '../core-data/use-body.ts'
import { copyText } from '../ui/copy.tsx'
import type { FeatureTools } from './feature-tools.ts'

/** A value of a delivery, such as a cell of the list or a header. */
export interface MenuValue {
  /** `Event`, `Path`, `content-type`. */
  readonly name: string
  readonly text: string
  /** Finds deliveries with this value; null if no term can. */
  readonly term: string | null
}

/** Marks an element as a value, for the context menu of a delivery's values. */
export function menuValue({ name, text, term }: MenuValue) {
  return {
    'data-value-name': name,
    'data-value': text,
    ...(term === null ? {} : { 'data-value-term': term }),
  }
}

interface OpenMenu {
  readonly at: { readonly x: number; readonly y: number }
  readonly rows: readonly DeliveryRow[]
  readonly value: MenuValue | null
}

/** The parts of other features that the actions use. */
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

const first: { readonly opened: OpenMenu | null } = { opened: null }

export function createMenuSlice({
  client,
  act,
  notify,
  set,
  app,
}: FeatureTools<typeof first, MenuContext>) {
  const copied = (done: boolean, title: string) =>
    notify(
      done
        ? { tone: 'ok', title }
        : {
            tone: 'bad',
            title: "Couldn't copy",
            message: 'The browser blocked access to the clipboard. Allow it, then try again.',
          },
    )

  return {
    ...first,

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
      copied(await copyText(text), title)
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
          copied(
            await copyText(text),
            row.bodySize > MOST_COPIED ? 'Copied the start of the body' : 'Copied the body',
          )
      })
    },
    /** Copies verdict, request and body as Markdown, with secrets masked. */
    async copyMarkdown(row: DeliveryRow) {
      await act("Couldn't copy as Markdown", async () => {
        const [delivery, signature, bytes] = await Promise.all([
          client.call('deliveries.get', { id: row.id, masked: 'strict' }),
          client.call('deliveries.signature', { id: row.id }).catch(() => null),
          readBodyPieces(client, 'deliveries.body', row.id, {
            most: MARKDOWN_BODY_BYTES + MASKED_BEYOND,
          }),
        ])
        const cause = delivery.verdict === 'invalid' ? (signature?.diagnosis ?? null) : null
        const { value } = await client.call('exchange.mask', {
          ids: [row.id],
          masked: 'strict',
          value: [utf8Text(bytes, true), cause?.message ?? '', cause?.fix ?? ''],
        })
        const [body = null, message = '', fix = ''] = value as string[]
        const text = deliveryMarkdown({
          delivery,
          cause: message === '' ? null : { message, fix },
          body: body && body.slice(0, MARKDOWN_BODY_BYTES),
        })
        copied(await copyText(text), 'Copied as Markdown')
      })
    },
    /** Compares a delivery with the previous delivery of its hook and event. */
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

/** A clipboard takes more, but no program pastes it well. */
const MOST_COPIED = 16 * 1_048_576
