/** Form of the next run: handler, speed, account and inputs. */
import { Popover } from '@base-ui/react/popover'
import { ChevronDown, Server } from 'lucide-react'
import type { ReactNode } from 'react'
import type { FlowPlan, FlowSpeed } from '../../../shared/model/flow-run.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { TextField } from '../../ui/field.tsx'
import { ButtonMenu, MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import type { CallState } from '../../ui/use-call.ts'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { ReachabilityMark, useProbes } from '../handlers/index.ts'
import { accountsOf, chosenHandler, flowAccount } from './flow-draft.ts'
import { SelectField } from '../../ui/select.tsx'

export const FLOW_RUN_ID = 'flow-run'
export const FLOW_STEP_ID = 'flow-step'

/** Returns the handler of the next run; null for none. */
export function useChosenHandler() {
  return useApp(({ flows, core }) => chosenHandler(flows.draft, core.handlers))
}

/** Shows the handler of the next run and whether it is reachable. */
export function HandlerMenu() {
  const { isLoaded, change, handlers, edit } = useAppParts((state) => ({
    isLoaded: state.core.status !== null,
    change: state.flows.changeDraft,
    handlers: state.core.handlers,
    edit: state.handlers.edit,
  }))
  useProbes()
  const chosen = useChosenHandler()
  return (
    <ButtonMenu
      align="start"
      className="min-w-64"
      trigger={
        <Button
          icon={Server}
          className="max-w-120 min-w-0 @max-[1100px]:max-w-80 @max-[900px]:max-w-64 [&>:not(.data)]:shrink-0"
        >
          <span className="text-muted @max-[900px]:sr-only">Handler</span>
          {chosen === null ? (
            isLoaded && 'None'
          ) : (
            <>
              <MiddleTruncated text={handlerRef(chosen)} tail={10} className="data" />
              <ReachabilityMark handler={chosen} />
            </>
          )}
          <ChevronDown size={12} className="shrink-0 text-subtle" />
        </Button>
      }
    >
      {handlers.map((handler) => (
        <MenuChoice
          key={handler.id}
          isChosen={handler === chosen}
          onChoose={() => change({ handler: handler.name })}
        >
          <span className="data">{visibleText(handlerRef(handler))}</span>
          <span className="data min-w-0 flex-1 truncate text-right text-subtle">
            {visibleText(handler.url)}
          </span>
        </MenuChoice>
      ))}
      <MenuChoice isChosen={chosen === null} onChoose={() => change({ handler: '' })}>
        None: don't check responses
      </MenuChoice>
      <MenuLine />
      <MenuItem onClick={() => edit({ secret: '' })} className="pl-8">
        Add handler…
      </MenuItem>
    </ButtonMenu>
  )
}

/** Shows why a run failed to start. */
export function RunProblem({ problem }: Pick<CallState, 'problem'>) {
  return (
    problem !== null && (
      <div className="max-w-[720px] shrink-0 px-4 py-3">
        <ProblemView problem={problem} />
      </div>
    )
  )
}

/** Adds the menu of the run's options to a button. */
export function RunButton({
  children,
  kind = 'primary',
  ...options
}: {
  readonly children: ReactNode
  readonly kind?: 'primary' | 'plain'
  readonly plan?: FlowPlan
  readonly extraOptions?: ReactNode
}) {
  return (
    <span className="inline-flex">
      {children}
      <Popover.Root>
        <Popover.Trigger
          render={
            <Button
              kind={kind}
              aria-label="Run options"
              className="ml-px rounded-l-none px-1.5"
              icon={ChevronDown}
            />
          }
        />
        <Popover.Portal>
          <Popover.Positioner sideOffset={4} align="end" className="z-40 outline-none">
            <Popover.Popup
              aria-label="Run options"
              className="flex max-h-(--available-height) w-80 max-w-(--available-width) flex-col gap-3 overflow-y-auto rounded-control border border-line bg-raised p-4 text-base shadow-overlay outline-none"
            >
              <RunOptions {...options} />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </span>
  )
}

const speeds: readonly (readonly [FlowSpeed, string])[] = [
  [1, 'Real time'],
  [60, '1 minute per second'],
  [3600, '1 hour per second'],
  [86_400, '1 day per second'],
  ['max', 'As fast as possible'],
]

const labels = {
  amount: 'Amount',
  currency: 'Currency',
  scheme: 'Card scheme',
  location: 'Location',
} as const

function RunOptions({
  plan,
  extraOptions,
}: {
  readonly plan?: FlowPlan
  readonly extraOptions?: ReactNode
}) {
  const {
    draft,
    changeDraft: change,
    setSpeed,
  } = useParts('flows', 'draft', 'changeDraft', 'setSpeed')
  const environments = useApp((state) => state.core.environments)
  const accounts = plan === undefined ? [] : accountsOf(plan, environments)
  const account = plan === undefined ? '' : flowAccount(draft, plan, environments)
  const inputs = account === '' ? (plan?.inputs ?? []) : []
  return (
    <>
      <SelectField
        label="Speed"
        value={String(draft.speed)}
        choices={speeds.map(([speed, label]) => ({ value: String(speed), label }))}
        onChange={(value) => {
          const chosen = speeds.find(([speed]) => String(speed) === value)
          if (chosen !== undefined) void setSpeed(chosen[0])
        }}
      />
      {plan !== undefined && (
        <SelectField
          label="Run in"
          value={account}
          hint={
            plan.sandboxOnly ??
            (accounts.length === 0
              ? 'To run in your test account, add it in Settings.'
              : 'Nothing is triggered in an account. The run tells you what to do and waits.')
          }
          choices={[
            { value: '', label: 'Isolated sandbox' },
            ...accounts.map(({ name }) => ({ value: name, label: name })),
          ]}
          onChange={(environment) => change({ environment })}
        />
      )}
      {inputs.length > 0 && (
        <div className="grid grid-cols-2 gap-3" role="group" aria-label="Inputs">
          {inputs.map(({ name, choices, example }) => {
            const field = {
              label: labels[name],
              value: draft.inputs[name] ?? '',
              onChange: (text: string) => change({ inputs: { ...draft.inputs, [name]: text } }),
            }
            return choices.length === 0 ? (
              <TextField key={name} placeholder={`such as ${example}`} {...field} />
            ) : (
              <SelectField
                key={name}
                choices={['', ...choices].map((value) => ({ value, label: value || 'Any' }))}
                {...field}
              />
            )
          })}
        </div>
      )}
      {extraOptions}
    </>
  )
}
