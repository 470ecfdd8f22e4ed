/** A choice from a list in the look of the app's menus. */
import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { menuStyle } from './menu.tsx'
import { controlStyle, type FieldFrame, type FieldControlProps, Field } from './field.tsx'

export interface ListedChoice<T extends string> {
  readonly value: T
  readonly label: string
  /** Distinction, quieter, at the right. */
  readonly note?: string
  /** Heading above consecutive choices of one group. */
  readonly group?: string
}

interface SelectProps<T extends string> {
  readonly choices: readonly ListedChoice<T>[]
  /** Whether the choices are data, such as methods, and use the data font. */
  readonly data?: boolean
  /** Words after the chosen label, quieter. */
  readonly aside?: string | undefined
  readonly value: T
  readonly onChange: (value: T) => void
}

export function SelectField<T extends string>({
  choices,
  data = false,
  aside,
  value,
  onChange,
  ...frame
}: FieldFrame & SelectProps<T>) {
  return (
    <Field {...frame}>
      {(control) => (
        <Select
          choices={choices}
          data={data}
          aside={aside}
          value={value}
          onChange={onChange}
          {...control}
        />
      )}
    </Field>
  )
}

/** Renders a select in the look of the app's menus, without a visible label. */
export function Select<T extends string>({
  choices,
  data = false,
  aside,
  value,
  onChange,
  className,
  ...control
}: SelectProps<T> &
  Partial<FieldControlProps> &
  Pick<ComponentProps<'button'>, 'aria-label' | 'className'>) {
  const chosen = choices.find((choice) => choice.value === value)
  const groups = [...Map.groupBy(choices, ({ group = '' }) => group)]
  return (
    <Base.Root
      items={choices}
      value={value}
      modal={false}
      onValueChange={(next) => {
        if (next !== null) onChange(next)
      }}
    >
      <Base.Trigger
        {...control}
        className={classNames(
          controlStyle,
          'flex items-center gap-2 text-left',
          data && 'data',
          className,
        )}
      >
        <span className="min-w-0 flex-1 truncate" title={chosen?.label}>
          {chosen?.label ?? value}
          {aside !== undefined && <span className="text-small text-subtle"> {aside}</span>}
        </span>
        <ChevronDown size={14} className="shrink-0 text-subtle" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          align="start"
          alignItemWithTrigger={false}
          className="z-50 outline-none"
        >
          <Base.Popup data-select="" className={classNames(menuStyle, 'min-w-(--anchor-width)')}>
            {groups.map(([group, groupChoices]) => (
              <ChoiceGroup key={group} group={group} choices={groupChoices} data={data} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function ChoiceGroup({
  group,
  choices,
  data,
}: {
  readonly group: string
  readonly choices: readonly ListedChoice<string>[]
  readonly data: boolean
}) {
  return (
    <Base.Group
      className={group === '' ? '' : 'mt-1 border-t border-line pt-1 first:mt-0 first:border-t-0'}
    >
      {group !== '' && (
        <Base.GroupLabel className="px-2 py-1 pl-8 text-tiny text-subtle">{group}</Base.GroupLabel>
      )}
      {choices.map((choice) => (
        <Base.Item
          key={choice.value}
          value={choice.value}
          className="flex h-7 items-center gap-2 rounded-small px-2 outline-none data-highlighted:bg-selected"
        >
          <span className="flex w-4 shrink-0 justify-center">
            <Base.ItemIndicator>
              <Check size={14} />
            </Base.ItemIndicator>
          </span>
          <Base.ItemText className={classNames('min-w-0 flex-1 truncate', data && 'data')}>
            {choice.label}
          </Base.ItemText>
          {choice.note !== undefined && (
            <span className="shrink-0 pl-4 text-small text-subtle">{choice.note}</span>
          )}
        </Base.Item>
      ))}
    </Base.Group>
  )
}
