/** The open delivery: its heading, and a tab for each kind of question about it. */
import { useEffect, useRef } from 'react'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { DetailPane } from '../../ui/split-panes.tsx'
import { byteSize } from '../../ui/moment.ts'
import { DeliveryValues } from '../../ui/delivery-menu.tsx'
import { TabViews } from '../../ui/tab-views.tsx'
import { BodyTab } from '../body/index.ts'
import { AttemptsTab } from './attempts-tab.tsx'
import { DetailHeading } from './detail-heading.tsx'
import { tabs, type Tab } from '../../state/routes.ts'
import type { Shown } from './detail-slice.ts'
import { HeadersTab } from './headers-tab.tsx'
import { LifecycleTab } from './lifecycle-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { RawTab } from './raw-tab.tsx'
import { SendsCount, SendsTab } from './sends-tab.tsx'
import { SignatureTab } from './signature-tab.tsx'

const names: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  signature: 'Signature',
  body: 'Body',
  headers: 'Headers',
  attempts: 'Attempts',
  replays: 'Replays',
  lifecycle: 'Lifecycle',
  raw: 'Raw',
}

export function Detail() {
  const { shown, lastLoaded, slow, problem, lost, openId, open, tab, setTab, focusDetail } =
    useAppParts((state) => ({
      shown: state.detail.shown,
      lastLoaded: state.detail.lastLoaded,
      slow: state.detail.slow && state.detail.shown?.delivery.id !== state.detail.openId,
      problem: state.detail.problem,
      openId: state.detail.openId,
      open: state.detail.open,
      lost: state.core.connection.phase === 'lost',
      tab: state.detail.tab,
      setTab: state.detail.setTab,
      focusDetail: state.detail.focus,
    }))
  const heading = useRef<HTMLHeadingElement>(null)
  const focused = useRef(0)
  useEffect(() => {
    if (focusDetail === focused.current || heading.current === null) return
    focused.current = focusDetail
    heading.current.focus()
  }, [focusDetail, shown])

  // A delivery opened without a connection loads once it is back.
  const wasLost = useRef(false)
  useEffect(() => {
    if (wasLost.current && !lost && openId !== null) open(openId, false)
    wasLost.current = lost
  }, [lost, openId, open])

  if (problem !== null)
    return (
      <DetailPane label="Delivery" pane="detail">
        <div className="px-5 pt-10">
          <h2 className="text-title font-medium">Couldn't load this delivery</h2>
          <p className="mt-1 mb-4 text-muted">{problem}</p>
          <Button
            onClick={() => {
              if (openId !== null) open(openId, false)
            }}
          >
            Try again
          </Button>
        </div>
      </DetailPane>
    )
  if (shown === null || slow)
    return (
      <DetailPane label="Delivery" pane="detail">
        {(slow || lost) && <SkeletonDetail />}
      </DetailPane>
    )
  const noted = shown.loaded ? shown : (lastLoaded ?? shown)
  return (
    <DetailPane label="Delivery" pane="detail">
      <DetailHeading shown={shown} heading={heading} />
      <TabViews
        label="Delivery views"
        tabs={tabs}
        names={names}
        value={tab}
        onChange={setTab}
        noteOf={(each) => (
          <span className={noted === shown ? 'contents' : 'invisible contents'}>
            {each === 'replays' ? (
              <SendsCount id={noted.delivery.id} />
            ) : (
              <TabNote tab={each} shown={noted} />
            )}
          </span>
        )}
      >
        <DeliveryValues row={shown.delivery}>
          <TabContent tab={tab} shown={shown} />
        </DeliveryValues>
      </TabViews>
    </DetailPane>
  )
}

function TabNote({ tab, shown }: { readonly tab: Tab; readonly shown: Shown }) {
  const note =
    tab === 'headers'
      ? String(shown.delivery.headers.length)
      : tab === 'body'
        ? byteSize(shown.delivery.bodySize)
        : tab === 'attempts' && shown.attempts.length > 1
          ? String(shown.attempts.length)
          : null
  return note === null ? null : (
    <span className="text-tiny font-normal text-subtle tabular-nums @max-[480px]:hidden">
      {note}
    </span>
  )
}

function TabContent({ tab, shown }: { readonly tab: Tab; readonly shown: Shown }) {
  const slow = useApp((state) => state.detail.slow)
  // A tab selected before the delivery is loaded: the Overview of its row stays, and loading that takes longer shows a placeholder.
  if (!shown.loaded && tab !== 'overview')
    return slow ? <SkeletonDetail /> : <OverviewTab shown={shown} />
  switch (tab) {
    case 'overview':
      return <OverviewTab shown={shown} />
    case 'signature':
      return <SignatureTab shown={shown} />
    case 'body':
      return <BodyTab shown={shown} />
    case 'headers':
      return <HeadersTab shown={shown} />
    case 'attempts':
      return <AttemptsTab shown={shown} />
    case 'raw':
      return <RawTab shown={shown} />
    case 'lifecycle':
      return <LifecycleTab shown={shown} />
    case 'replays':
      return <SendsTab shown={shown} />
  }
}

function SkeletonDetail() {
  return (
    <div role="status" aria-label="Loading delivery" className="flex flex-col gap-4 p-5">
      <span className="skeleton h-4 w-48" />
      <span className="skeleton h-3 w-72" />
      <span className="skeleton mt-4 h-24" />
      <span className="skeleton h-16" />
      <span className="skeleton h-16" />
    </div>
  )
}
