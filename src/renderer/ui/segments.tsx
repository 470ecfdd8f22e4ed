import { useId } from 'react'
import { classNames } from './class-names.ts'

export interface SegmentsProps<T extends string> {
  readonly label: string
  readonly options: readonly {
    readonly value: T
    readonly label: string
    readonly count?: number
  }[]
  readonly value: T
  readonly onChange: (value: T) => void
}

export function Segments<T extends string>({ label, options, value, onChange }: SegmentsProps<T>) {
  const name = useId()
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex min-h-7 max-w-full shrink-0 flex-wrap rounded-control border border-line bg-raised p-px"
    >
      {options.map((option) => (
        <label
          key={option.value}
          className={classNames(
            'relative inline-flex h-6 items-center rounded-small px-2 text-small font-medium has-focus-visible:outline-2 has-focus-visible:outline-accent',
            option.value === value
              ? 'bg-control text-text ring-1 ring-edge ring-inset'
              : 'text-muted hover:text-text',
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-x-0 -inset-y-0.5 opacity-0"
          />
          {/* Above the radio button, so that the words are what a click meets. */}
          <span className="relative">{option.label}</span>
          {option.count !== undefined && (
            <span className="relative ml-1.5 font-normal tabular-nums">
              {option.count.toLocaleString('en')}
            </span>
          )}
        </label>
      ))}
    </div>
  )
}
