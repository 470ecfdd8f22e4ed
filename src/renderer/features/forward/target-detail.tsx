/** The target that is looked at: how it does, what waits for it, what it takes and how, and its last sends. */
import { CirclePause, CirclePlay, Pencil, Trash2 } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import type { ForwardTarget } from '../../../shared/model/forward.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { LoadingRows, NotRead } from '../../ui/message.tsx'
import { exactTime } from '../../ui/moment.ts'
import { DetailPane } from '../../ui/split-panes.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { TargetSends } from './target-sends.tsx'
import { answers, LightMark, queueWords } from './target-words.tsx'

export function TargetDetail({ target }: { readonly target: ForwardTarget }) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const { editTarget, setTargetPaused } = useParts('forward', 'editTarget', 'setTargetPaused')
  const { id, name, light, paused, on } = target
  return (
    <DetailPane label="Target" pane="target">
      <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line pt-3 pr-3 pb-2.5 pl-5">
        <h2 className="flex min-w-0 flex-1 basis-60 items-center gap-3">
          <LightMark light={light} large />
          <span className="min-w-0 truncate text-title" title={visibleText(name)}>
            <ExactText text={name} />
          </span>
        </h2>
        <span className="flex items-center gap-1">
          {on && (
            <Button
              icon={paused ? <CirclePlay size={13} aria-hidden /> : <CirclePause size={13} aria-hidden />}
              onClick={() => {
                void setTargetPaused(id, !paused)
              }}
            >
              {paused ? 'Resume' : 'Pause'}
            </Button>
          )}
          <Button
            icon={<Pencil size={13} aria-hidden />}
            onClick={() => {
              editTarget(id)
              openOverlay('forward-target')
            }}
          >
            Change…
          </Button>
          <Button
            icon={<Trash2 size={13} aria-hidden />}
            onClick={() => {
              openOverlay('remove-target')
            }}
          >
            Remove…
          </Button>
        </span>
      </header>
      <div key={id} className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="About this target">
        <Trouble target={target} />
        <div className="px-5 pt-2 pb-8">
          <TargetFacts target={target} />
          <section className="mt-6">
            <h3 className="mb-1.5 font-medium">Last sends</h3>
            <LastSends target={target} />
          </section>
        </div>
      </div>
    </DetailPane>
  )
}

/** What is the matter and what waits, with the choice to deliver it or to drop it. */
function Trouble({ target }: { readonly target: ForwardTarget }) {
  const { deliverWaiting, dropWaiting } = useParts('forward', 'deliverWaiting', 'dropWaiting')
  const now = useNow(1_000)
  const { id, light, problem, nextTryAt, queue, withheld, liveEnvironments } = target
  const waiting = queueWords(target, now)
  const isTrouble = light === 'down' || light === 'failing'
  const seconds = nextTryAt === null ? null : Math.max(0, Math.ceil((Date.parse(nextTryAt) - now) / 1_000))
  if (waiting === '' && !isTrouble && withheld === 0) return null
  return (
    <div
      role="note"
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-5 py-2.5 ${light === 'down' ? 'bg-bad-wash' : isTrouble || withheld > 0 ? 'bg-warn-wash' : ''}`}
    >
      <div className="min-w-0 flex-1 basis-72">
        {isTrouble && problem !== null && (
          <p className="wrap-anywhere">
            <ExactText text={problem} />
          </p>
        )}
        {(waiting !== '' || seconds !== null) && (
          <p className="text-muted">
            {[waiting, ...(seconds === null ? [] : [seconds === 0 ? 'trying now' : `next try in ${seconds} s`])]
              .filter((part) => part !== '')
              .join(' · ')}
          </p>
        )}
        {withheld > 0 && (
          <p className="text-muted">
            {withheld === 1 ? '1 delivery of a live environment was' : `${withheld} deliveries of live environments were`} kept
            back:
            {liveEnvironments.length === 0 ? ' none was agreed to.' : ` only ${liveEnvironments.join(', ')} was agreed to.`}{' '}
            Change the target to agree to it.
          </p>
        )}
      </div>
      {queue.waiting > 0 && (
        <span className="flex items-center gap-1">
          <Button
            onClick={() => {
              void deliverWaiting(id)
            }}
          >
            Deliver now
          </Button>
          <Button
            onClick={() => {
              void dropWaiting(id)
            }}
          >
            Drop {queue.waiting.toLocaleString('en')}
          </Button>
        </span>
      )}
    </div>
  )
}

function TargetFacts({ target }: { readonly target: ForwardTarget }) {
  const { url, query, answer, sign, registeredUrl, allowHosts, liveEnvironments, targetCa, temporary, passed, failed } = target
  return (
    <Facts>
      <Fact name="Goes to">{url === '' ? <Quiet>nowhere: its deliveries are only held</Quiet> : <Data text={url} />}</Fact>
      <Fact name="Takes">{query.trim() === '' ? <Quiet>every delivery</Quiet> : <Data text={query} />}</Fact>
      <Fact name="Service gets" note={answers[answer].hint}>
        {answers[answer].label}
      </Fact>
      {url !== '' && (
        <Fact name="Signature" note={sign === 'now' ? 'What is not genuine and fresh goes as it came' : undefined}>
          {sign === 'as-received'
            ? 'as received'
            : registeredUrl === null
              ? 'anew, over each hook’s registered URL'
              : 'anew, over another URL'}
          {sign === 'now' && registeredUrl !== null && (
            <span className="block">
              <Data text={registeredUrl} />
            </span>
          )}
        </Fact>
      )}
      {targetCa !== null && <Fact name="Certificate">has to verify with the authority given</Fact>}
      {allowHosts.length > 0 && (
        <Fact name="Agreed hosts">
          <Data text={allowHosts.join(', ')} />
        </Fact>
      )}
      {liveEnvironments.length > 0 && (
        <Fact name="Agreed live">
          <span className="text-warn">{liveEnvironments.map(visibleText).join(', ')}</span>
        </Fact>
      )}
      {temporary && <Fact name="Lasts">as long as the command that made it</Fact>}
      {url !== '' && (
        <Fact name="Since the start">
          <span className="data">{passed.toLocaleString('en')}</span> acknowledged,{' '}
          <span className="data">{failed.toLocaleString('en')}</span> not
        </Fact>
      )}
      <Fact name="Made">
        <span className="data text-muted">{exactTime(target.createdAt)}</span>
      </Fact>
    </Facts>
  )
}

function LastSends({ target }: { readonly target: ForwardTarget }) {
  const { sends, problem, readTargetSends } = useAppParts((state) => ({
    sends: state.forward.targetSends?.targetId === target.id ? state.forward.targetSends.sends : null,
    problem: state.forward.targetSendsProblem,
    readTargetSends: state.forward.readTargetSends,
  }))
  const { id, passed, failed, lastSentAt, queue } = target
  useEffect(() => {
    void readTargetSends(id)
  }, [id, passed, failed, lastSentAt, queue.waiting, queue.underWay, readTargetSends])
  const trouble =
    problem === null ? null : (
      <NotRead title="The last sends could not be read" problem={problem} onAgain={() => void readTargetSends(id)} />
    )
  if (sends === null)
    return trouble ?? <LoadingRows label="Loading the last sends" count={3} columns={['w-16', 'w-24', 'flex-1']} className="" />
  return (
    <>
      {trouble !== null && <div className="mb-3">{trouble}</div>}
      {sends.length > 0 ? (
        <TargetSends sends={sends} />
      ) : (
        problem === null && (
          <p className="text-muted">
            {target.url === ''
              ? 'None: without an address its deliveries are only held for your answer.'
              : 'None yet: the next delivery that fits goes there.'}
          </p>
        )
      )}
    </>
  )
}

function Data({ text }: { readonly text: string }) {
  return (
    <span className="data">
      <ExactText text={text} />
    </span>
  )
}

function Quiet({ children }: { readonly children: ReactNode }) {
  return <span className="text-muted">{children}</span>
}
