/** The service's own name in header names, with a name that it makes. */
import type { ReactNode } from 'react'
import { headerNames } from '../../shared/service/header-rules.ts'
import { useApp } from '../state/use-app.ts'
import { environmentOf } from '../state/environments.ts'
import { TextField } from './field.tsx'

interface PrefixFieldProps {
  readonly value: string
  /** Whether it may stay empty, for the current environment's. */
  readonly optional?: boolean
  readonly problem: ReactNode
  readonly onChange: (prefix: string) => void
}

export function PrefixField({ value, optional = false, problem, onChange }: PrefixFieldProps) {
  const current = useApp((state) => environmentOf(state.core.environments)()?.prefix) ?? ''
  const shown = value.trim() || (optional ? current : '')
  return (
    <TextField
      label="Header prefix"
      optional={optional}
      {...(optional ? { placeholder: current } : {})}
      problem={problem}
      hint={
        <>
          The service's name in its headers:{' '}
          <span className="data">{headerNames(shown).signature}</span>
        </>
      }
      value={value}
      onChange={onChange}
    />
  )
}
