/** The pane of the open delivery: heading with actions, and tabs. */
import { Copy, Ellipsis, GitCompareArrows, Maximize2, Minimize2, X } from 'lucide-react'
import { useEffect, useRef, type RefObject } from 'react'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { offeredActions, type DeliveryActionId } from '../../ui-state/delivery-actions.ts'
import { tabs, type Tab } from '../../ui-state/routes.ts'
import { useApp, useAppParts, useAppStore, useParts } from '../../ui-state/use-app.ts'
import { Button, Hint, IconButton } from '../../ui/button.tsx'
import { ActionItems, DeliveryValues } from '../../connected/delivery-menu.tsx'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { ButtonMenu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { LoadProblem, Message } from '../../ui/message.tsx'
import { byteSize, exactTime, timeWithDay } from '../../ui/moment.ts'
import { DetailPane } from '../../ui/split-panes.tsx'
import { EventLabel } from '../../ui/tinted-event.tsx'
import { TabViews } from '../../ui/tab-views.tsx'
import { VerdictBadge, eventWord } from '../../ui/verdict.tsx'
import { BodyTab } from '../body/index.ts'
import { PinMark } from '../list/index.ts'
import { HistoryCount, HistoryTab } from './history-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { RawTab } from './raw-tab.tsx'
import { HeadersTab } from './headers-tab.tsx'
import { SignatureTab } from './signature-tab.tsx'
import { useDelivery, type DeliveryView } from './use-delivery.ts'

const names: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  signature: 'Signature',
  body: 'Body',
  headers: 'Headers',
  history: 'History',
  raw: 'Raw',
}

export function Detail() {
  const id = useApp((state) => state.navigation.at.deliveries.id)
  return (
    <DetailPane label="Delivery" pane="detail">
      {id !== undefined && <OpenDelivery id={id} />}
    </DetailPane>
  )
}

function OpenDelivery({ id }: { readonly id: string }) {
  const { tab, setTab, close, focus } = useAppParts((state) => ({
    tab: state.navigation.at.deliveries.tab ?? 'overview',
    setTab: state.detail.setTab,
    close: state.detail.close,
    focus: state.detail.focus,
  }))
  const { shown, lastRead, isReady, isGone, problem, readAgain } = useDelivery(id)
  const heading = useRef<HTMLHeadingElement>(null)
  const lastFocus = useRef(0)
  useEffect(() => {
    if (focus === lastFocus.current || heading.current === null) return
    lastFocus.current = focus
    heading.current.focus()
  }, [focus, shown])

  if (problem !== null && isGone)
    return (
      <div role="alert" className="px-8 pt-12">
        <Message
          title="Delivery not found"
          action={
            <Button kind="primary" onClick={close}>
              Close
            </Button>
          }
        >
          {problem}
        </Message>
      </div>
    )
  if (problem !== null)
    return <LoadProblem title="Couldn't load this delivery" problem={problem} onAgain={readAgain} />
  if (shown === null) return <SkeletonDetail />
  const counted = shown.loaded ? shown : (lastRead ?? shown)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <DetailHeading shown={shown} heading={heading} />
      <TabViews
        label="Delivery views"
        tabs={tabs}
        names={names}
        value={tab}
        onChange={setTab}
        noteOf={(each) => (
          <span
            className={`text-tiny font-normal text-subtle tabular-nums @max-[480px]:hidden ${counted === shown ? '' : 'invisible'}`}
          >
            <TabNote tab={each} shown={counted} />
          </span>
        )}
      >
        <DeliveryValues row={shown.delivery}>
          <TabContent tab={tab} shown={shown} />
        </DeliveryValues>
      </TabViews>
      {!isReady && (
        <div className="late absolute inset-0 bg-surface">
          <SkeletonDetail />
        </div>
      )}
    </div>
  )
}

function TabNote({ tab, shown }: { readonly tab: Tab; readonly shown: DeliveryView }) {
  if (tab === 'headers') return shown.delivery.headers.length
  if (tab === 'body') return byteSize(shown.delivery.bodySize)
  return tab === 'history' && <HistoryCount shown={shown} />
}

function TabContent({ tab, shown }: { readonly tab: Tab; readonly shown: DeliveryView }) {
  switch (tab) {
    case 'overview':
      return <OverviewTab shown={shown} />
    case 'signature':
      return <SignatureTab shown={shown} />
    case 'body':
      return <BodyTab key={shown.delivery.id} shown={shown} />
    case 'headers':
      return <HeadersTab shown={shown} />
    case 'history':
      return <HistoryTab key={shown.delivery.id} shown={shown} />
    case 'raw':
      return <RawTab shown={shown} />
  }
}

function SkeletonDetail() {
  return (
    <div role="status" aria-label="Loading delivery" className="late flex flex-col gap-4 p-5">
      <span className="skeleton h-4 w-48" />
      <span className="skeleton h-3 w-72" />
      <span className="skeleton mt-4 h-24" />
      <span className="skeleton h-16" />
      <span className="skeleton h-16" />
    </div>
  )
}

function DetailHeading({
  shown: { delivery },
  heading,
}: {
  readonly shown: DeliveryView
  readonly heading: RefObject<HTMLHeadingElement | null>
}) {
  const event = eventWord(delivery)
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-x-3 gap-y-1 border-b border-line py-1.5 pr-3 pl-5 @max-[560px]:flex-wrap @max-[560px]:pr-2 @max-[560px]:pl-4">
      {/* If space is short, time and ID wrap to a clipped second line. */}
      <h2
        ref={heading}
        tabIndex={-1}
        className="flex h-7 min-w-0 flex-1 flex-wrap gap-x-2 overflow-hidden leading-7 font-normal @max-[560px]:basis-full"
      >
        <span className="flex h-7 max-w-full min-w-0 items-center gap-x-2">
          <span className="shrink-0 font-medium">
            <VerdictBadge of={delivery} />
          </span>
          {delivery.malformed === null && <EventLabel event={event.text} className={event.color} />}
          {delivery.pinned && <PinMark />}
        </span>
        <time
          dateTime={delivery.receivedAt}
          title={exactTime(delivery.receivedAt)}
          className="data whitespace-nowrap text-muted"
        >
          {timeWithDay(delivery.receivedAt)}
        </time>
        <span className="data text-subtle" title={delivery.id}>
          {shortIdOf(delivery.id)}
        </span>
      </h2>
      <DetailActions delivery={delivery} />
    </header>
  )
}

interface ActionsProps {
  readonly delivery: DeliveryView['delivery']
}

/** Returns the offered actions of the open delivery; draws again when a saved handler changes. */
function useActions(delivery: ActionsProps['delivery']) {
  const store = useAppStore()
  // Actions are named after the current handler.
  useApp((state) => state.core.handlers)
  return (...ids: readonly DeliveryActionId[]) => offeredActions(store.getState(), [delivery], ids)
}

function DetailActions({ delivery }: ActionsProps) {
  const { close, compare } = useAppParts((state) => ({
    close: state.detail.close,
    compare: state.compare.start,
  }))
  const [replay] = useActions(delivery)('replay')
  return (
    <span className="flex min-w-0 items-center gap-1.5 @max-[560px]:w-full">
      {replay !== undefined && (
        <Hint text="Send again with a fresh signature" shortcut="replay">
          {/* A long name leaves room for the event. */}
          <Button
            className="max-w-80 min-w-0 shrink! @max-[800px]:max-w-40 @max-[560px]:max-w-none"
            aria-label={replay.label}
            onClick={replay.run}
          >
            <MiddleTruncated text={replay.label} />
          </Button>
        </Hint>
      )}
      {delivery.malformed === null && (
        <Button
          icon={GitCompareArrows}
          onClick={() => void compare(null, { kind: 'delivery', id: delivery.id })}
        >
          <span className="@max-[640px]:sr-only">Compare</span>
        </Button>
      )}
      <CopyMenu delivery={delivery} />
      <MoreActions delivery={delivery} />
      <IconButton
        label="Close"
        shortcut="back"
        className="@max-[560px]:ml-auto"
        icon={X}
        onClick={close}
      />
    </span>
  )
}

function CopyMenu({ delivery }: ActionsProps) {
  const copy = useApp((state) => state.menu.copy)
  const actionsOf = useActions(delivery)
  const headers = delivery.headers.map(([name, value]) => `${name}: ${value}`).join('\r\n')
  return (
    <ButtonMenu trigger={<IconButton label="Copy…" icon={Copy} />}>
      <ActionItems actions={actionsOf('copy-body')} />
      {headers !== '' && (
        <MenuItem onClick={() => void copy(headers, 'Copied the headers')}>
          <Copy size={13} className="text-subtle" />
          <span className="flex-1">Copy headers</span>
        </MenuItem>
      )}
      <ActionItems actions={actionsOf('copy-curl', 'copy-shrink', 'copy-markdown', 'copy-id')} />
    </ButtonMenu>
  )
}

function MoreActions({ delivery }: ActionsProps) {
  const { full, toggleFull } = useParts('detail', 'full', 'toggleFull')
  const actionsOf = useActions(delivery)
  return (
    <ButtonMenu trigger={<IconButton label="More" icon={Ellipsis} />}>
      <ActionItems actions={actionsOf('replay-compose', 'pin', 'note', 'export', 'share')} />
      <MenuItem onClick={toggleFull}>
        {full ? (
          <Minimize2 size={13} className="text-subtle" />
        ) : (
          <Maximize2 size={13} className="text-subtle" />
        )}
        <span className="flex-1">{full ? 'Show beside the list' : 'Full width'}</span>
        <ActionKeys action="full" />
      </MenuItem>
      <MenuLine />
      <ActionItems actions={actionsOf('delete')} />
    </ButtonMenu>
  )
}
