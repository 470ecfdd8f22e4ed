/** The Compare screen for two deliveries or pasted texts. */
import { ArrowLeft } from 'lucide-react'
import { screens } from '../../screens.ts'
import { compareTabs } from '../../ui-state/routes.ts'
import { useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button, Hint } from '../../ui/button.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { LoadProblem, Message, type MessageProps } from '../../ui/message.tsx'
import { TabViews } from '../../ui/tab-views.tsx'
import { ChooseSideDialog } from './choose-side-dialog.tsx'
import { CompareExportDialog } from './compare-export-dialog.tsx'
import { IgnoredFieldsDialog } from './ignored-fields-dialog.tsx'
import { useComparison } from './use-comparison.ts'
import { sideFacts, useSides } from './use-sides.ts'
import { Differences, tabNames } from './differences.tsx'
import { SignatureInputs } from './signature-inputs.tsx'
import { SideHeads, type SidesProps } from './side-heads.tsx'

export function CompareScreen() {
  const sides = useSides()
  const { from, go } = useAppParts((state) => ({
    from: state.compare.from,
    go: state.navigation.go,
  }))
  const right = sideFacts(sides.right.side)
  const shared = sideFacts(sides.left.side).filter((fact) => right.includes(fact))
  const isPair = sides.left.choice !== null && sides.right.choice !== null
  return (
    <section
      aria-label="Comparison"
      data-pane="compare"
      className="flex h-full min-w-0 flex-col bg-surface"
    >
      <div className="window-drag flex h-12 shrink-0 items-center gap-3 border-b border-line pr-3 pl-2">
        <Hint text={`Back to ${screens[from].title}`} shortcut="back">
          <Button
            kind="quiet"
            icon={ArrowLeft}
            aria-label={`Back to ${screens[from].title}`}
            onClick={() => go(from)}
          >
            Back
          </Button>
        </Hint>
        <h1 className="text-title font-medium">Compare</h1>
        <p className="min-w-0 truncate text-muted">{shared.join(' · ')}</p>
      </div>
      <SideHeads sides={sides} />
      {sides.problem !== null ? (
        <Failed sides={sides} />
      ) : !isPair ? (
        <Empty sides={sides} />
      ) : sides.list.output === undefined ? (
        <Skeleton />
      ) : (
        <Compared sides={sides} />
      )}
      <ChooseSideDialog sides={sides} />
      <IgnoredFieldsDialog {...sides} />
      <CompareExportDialog {...sides} />
    </section>
  )
}

function Empty({ sides: { left, right } }: SidesProps) {
  const { chooseSide } = useParts('compare', 'chooseSide')
  const missing = left.choice === null ? 'left' : 'right'
  return (
    <CompareMessage
      title={
        left.choice === null && right.choice === null
          ? 'See what changed between two deliveries'
          : 'Choose the other side'
      }
      action={
        <Button kind="primary" onClick={() => chooseSide(missing)}>
          Choose {missing === 'left' ? 'A' : 'B'}…
        </Button>
      }
    >
      In the deliveries list, press <ActionKeys action="compare" spoken /> on two deliveries in
      turn, or select two with <ActionKeys action="pick" spoken />. You can also paste text, such as
      a payload from a log.
    </CompareMessage>
  )
}

/** Explains why the comparison failed; offers another delivery if one was deleted. */
function Failed({ sides: { left, right, problem, readAgain } }: SidesProps) {
  const { chooseSide } = useParts('compare', 'chooseSide')
  const gone = left.isGone ? 'left' : right.isGone ? 'right' : null
  if (gone === null)
    return (
      <div className="min-h-0 flex-1 bg-ground">
        <LoadProblem title="Couldn't compare" problem={problem ?? ''} onAgain={readAgain} />
      </div>
    )
  const letter = gone === 'left' ? 'A' : 'B'
  return (
    <CompareMessage
      role="alert"
      title={`Delivery ${letter} no longer exists`}
      action={
        <>
          <Button kind="primary" onClick={() => chooseSide(gone)}>
            Choose {letter}…
          </Button>
          <Button onClick={readAgain}>Try again</Button>
        </>
      }
    >
      It was deleted manually or by retention limits. Choose another, or undo the deletion and try
      again.
    </CompareMessage>
  )
}

/** Shows a message in place of the comparison. */
function CompareMessage({ role, ...message }: MessageProps & { readonly role?: 'alert' }) {
  return (
    <div role={role} className="late min-h-0 flex-1 overflow-auto bg-ground px-8 pt-12">
      <Message {...message} />
    </div>
  )
}

function Skeleton() {
  return (
    <div role="status" aria-label="Loading comparison" className="late flex flex-col gap-3 p-5">
      {Array.from({ length: 8 }, (_, index) => (
        <span key={index} className="flex gap-4">
          <span className="skeleton h-3 w-32" />
          <span className="skeleton h-3 flex-1" />
          <span className="skeleton h-3 flex-1" />
        </span>
      ))}
    </div>
  )
}

function Compared({ sides }: SidesProps) {
  const { tab, setTab } = useAppParts((state) => ({
    tab: state.navigation.at.compare.tab ?? 'structure',
    setTab: state.compare.setTab,
  }))
  const { comparison, openFold } = useComparison(sides)
  return (
    <TabViews
      label="Comparison views"
      tabs={compareTabs}
      names={tabNames}
      value={tab}
      onChange={setTab}
      panel="flex flex-col"
    >
      {tab === 'signature' ? (
        <SignatureInputs left={sides.left.side} right={sides.right.side} />
      ) : (
        <Differences comparison={comparison} openFold={openFold} tab={tab} />
      )}
    </TabViews>
  )
}
