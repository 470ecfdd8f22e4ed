/**
 * Actions on deliveries, in one table for the context menu, the palette, the detail's menus and the
 * keys.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { negated } from '../../shared/query/edit-query.ts'
import { shellArgument } from '../../shared/snippets/shell-word.ts'
import { type KeyAction, keysOf } from '../key-map.ts'
import type { AppState } from './store.ts'
import type { MenuValue } from '../ui/menu-value.ts'

/** Menu entry outside the table, such as folding in the body tree. */
export interface MenuEntry {
  readonly name: string
  readonly icon?: 'filter' | 'exclude' | 'copy'
  readonly keys?: string
  readonly run: () => void
}

const GROUPS = ['delivery', 'copy', 'marks'] as const

export interface DeliveryAction {
  readonly id: string
  readonly group: (typeof GROUPS)[number]
  readonly key: KeyAction | null
  label(rows: readonly DeliveryRow[], state: AppState): string
  /** Whether the action applies to the deliveries, at least one. */
  applies(rows: readonly DeliveryRow[]): boolean
  run(state: AppState, rows: readonly [DeliveryRow, ...DeliveryRow[]]): unknown
}

const isOne = (rows: readonly DeliveryRow[]) => rows.length === 1
const isRequest = (rows: readonly DeliveryRow[]) =>
  rows.every(({ malformed }) => malformed === null)
const always = () => true

/** Returns ` 3 deliveries`; an empty text for one. */
const countSuffix = (rows: readonly DeliveryRow[]) =>
  rows.length === 1 ? '' : ` ${rows.length.toLocaleString('en')} deliveries`

/** Sorts deliveries in the order in which the service sent them. */
const oldestFirst = (rows: readonly DeliveryRow[]) =>
  rows.toSorted((one, other) => one.seq - other.seq)

/**
 * Returns the endpoint that a delivery failed at, as `--to` takes it; null if it failed at none.
 */
function failedEndpoint({ handler, lastReplay }: DeliveryRow): string | null {
  if (handler?.outcome === 'failing')
    return handler.name === null ? handler.target : `@${handler.name}`
  return lastReplay?.outcome === 'failing' ? lastReplay.target : null
}

/**
 * Returns the command that shrinks a failing body, at the failing endpoint or the current handler.
 */
function shrinkCommand(row: DeliveryRow): string {
  const to = failedEndpoint(row)
  return `countersign shrink ${row.id}${to === null ? '' : ` --to ${shellArgument(to)}`}`
}

export const deliveryActions = [
  {
    id: 'open',
    group: 'delivery',
    key: 'open',
    label: () => 'Open',
    applies: isOne,
    run: (state, [row]) => state.navigation.go('deliveries', { id: row.id }),
  },
  {
    id: 'replay',
    group: 'delivery',
    key: 'replay',
    label: (rows, { core: { handlers } }) => {
      const current = handlers.find((one) => one.current)
      return `Replay${countSuffix(rows)}${current === undefined ? '' : ` to @${current.name}`}`
    },
    applies: isRequest,
    run: (state, rows) => state.replay.replayToDefault(oldestFirst(rows)),
  },
  {
    id: 'replay-compose',
    group: 'delivery',
    key: 'replay-compose',
    label: () => 'Replay with changes…',
    applies: isRequest,
    run: (state, rows) => state.replay.compose({ kind: 'rows', rows: oldestFirst(rows) }),
  },
  {
    id: 'compare-previous',
    group: 'delivery',
    key: 'compare-previous',
    label: () => 'Compare with previous',
    applies: (rows) => isOne(rows) && isRequest(rows),
    run: (state, [row]) => state.menu.comparePrevious(row),
  },
  {
    id: 'copy-id',
    group: 'copy',
    key: 'copy-id',
    label: (rows) => (isOne(rows) ? 'Copy ID' : 'Copy IDs'),
    applies: always,
    run: (state, rows) =>
      state.menu.copy(
        rows.map(({ id }) => id).join('\n'),
        rows.length === 1 ? 'Copied the ID' : 'Copied the IDs',
      ),
  },
  {
    id: 'copy-body',
    group: 'copy',
    key: 'copy-body',
    label: () => 'Copy body',
    applies: (rows) => isOne(rows) && rows.every(({ bodySize }) => bodySize > 0),
    run: (state, [row]) => state.menu.copyBody(row),
  },
  {
    id: 'copy-curl',
    group: 'copy',
    key: 'copy-curl',
    label: () => 'Copy as cURL (re-signed)',
    applies: (rows) => isOne(rows) && isRequest(rows),
    run: (state, [row]) => state.replay.copyCurl(row.id),
  },
  {
    id: 'copy-shrink',
    group: 'copy',
    key: null,
    label: () => 'Copy shrink command',
    applies: (rows) =>
      isOne(rows) &&
      isRequest(rows) &&
      rows.every(({ truncated, bodySize }) => !truncated && bodySize > 0),
    run: (state, [row]) => state.menu.copy(shrinkCommand(row), 'Copied the shrink command'),
  },
  {
    id: 'copy-markdown',
    group: 'copy',
    key: null,
    label: () => 'Copy as Markdown',
    applies: isOne,
    run: (state, [row]) => state.menu.copyMarkdown(row),
  },
  {
    id: 'export',
    group: 'copy',
    key: null,
    label: () => 'Export…',
    applies: always,
    run: (state, rows) => state.exporting.open({ query: '', seqs: rows.map(({ seq }) => seq) }),
  },
  {
    id: 'share',
    group: 'copy',
    key: null,
    label: () => 'Share…',
    applies: always,
    run: (state, rows) => state.sharing.open({ query: '', seqs: rows.map(({ seq }) => seq) }),
  },
  {
    id: 'pin',
    group: 'marks',
    key: 'pin',
    label: (rows) => (rows.every(({ pinned }) => pinned) ? 'Unpin' : 'Pin'),
    applies: always,
    run: (state, rows) => state.marks.togglePin(rows),
  },
  {
    id: 'note',
    group: 'marks',
    key: 'note',
    label: (rows) => (rows.length === 1 && rows[0]?.note !== null ? 'Edit note…' : 'Add note…'),
    applies: always,
    run: (state, rows) => state.marks.editNote(rows),
  },
  {
    id: 'delete',
    group: 'marks',
    key: 'delete',
    label: (rows) => `Delete${countSuffix(rows)}`,
    applies: always,
    run: (state, rows) => state.marks.deleteChosen(rows),
  },
] as const satisfies readonly DeliveryAction[]

export type DeliveryActionId = (typeof deliveryActions)[number]['id']

export interface OfferedAction {
  readonly id: DeliveryActionId
  readonly key: KeyAction | null
  readonly label: string
  readonly keys: string | null
  readonly run: () => void
}

export function actionGroups(
  state: AppState,
  rows: readonly DeliveryRow[],
): readonly (readonly OfferedAction[])[] {
  return GROUPS.map((group) =>
    deliveryActions
      .filter((action) => action.group === group)
      .flatMap((action: DeliveryAction & { readonly id: DeliveryActionId }) => {
        const [first, ...more] = rows
        if (first === undefined || !action.applies(rows)) return []
        return {
          id: action.id,
          key: action.key,
          label: action.label(rows, state),
          keys: action.key === null ? null : keysOf(action.key),
          run: () => void action.run(state, [first, ...more]),
        }
      }),
  ).filter((group) => group.length > 0)
}

/** Returns the applicable actions with these ids, in the order of the ids. */
export function offeredActions(
  state: AppState,
  rows: readonly DeliveryRow[],
  ids: readonly DeliveryActionId[],
): readonly OfferedAction[] {
  const actions = actionGroups(state, rows).flat()
  return ids.flatMap((id) => actions.find((action) => action.id === id) ?? [])
}

/** Returns the actions on a value: filter by it, exclude it, copy it. */
export function valueEntries(state: AppState, { text, term }: MenuValue): readonly MenuEntry[] {
  return [
    ...(term === null
      ? []
      : [
          {
            name: 'Filter by this',
            icon: 'filter' as const,
            run: () => state.menu.filterBy(term),
          },
          {
            name: 'Exclude this',
            icon: 'exclude' as const,
            run: () => state.menu.filterBy(negated(term)),
          },
        ]),
    ...(text === ''
      ? []
      : [
          {
            name: 'Copy value',
            icon: 'copy' as const,
            run: () => void state.menu.copy(text, 'Copied the value'),
          },
        ]),
  ]
}
