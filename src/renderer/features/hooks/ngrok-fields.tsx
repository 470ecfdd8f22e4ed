/** The ngrok settings: a token, stored in the vault, and an optional domain. */
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import type { CallProblem } from '../../ui/call-problem.ts'
import { SecretField, TextField } from '../../ui/field.tsx'

export interface NgrokAccount {
  readonly token: string
  readonly domain: string
}

export interface NgrokFieldsProps {
  readonly account: NgrokAccount
  readonly tokenHint: string | null
  /** Page of the account that shows its token. */
  readonly page: string
  readonly problem: CallProblem | null
  readonly onChange: (account: NgrokAccount) => void
}

export function NgrokFields({ account, tokenHint, page, problem, onChange }: NgrokFieldsProps) {
  const setToken = useApp((state) => state.tunnel.setToken)
  const found = (field: string) =>
    problem?.findings.find((finding) => finding.field === field)?.message
  return (
    <>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <SecretField
            label="Token"
            placeholder={tokenHint === null ? '' : `stored: ${tokenHint}`}
            hint={
              tokenHint === null
                ? `From your account: ${page}. Stored in the vault.`
                : 'A token is stored in the vault. Type another to replace it.'
            }
            problem={found('token')}
            value={account.token}
            onChange={(token) => {
              onChange({ ...account, token })
            }}
          />
        </div>
        {tokenHint !== null && (
          <Button className="mt-[22px] h-8" onClick={() => void setToken(null)}>
            Forget token
          </Button>
        )}
      </div>
      <TextField
        label="Domain"
        optional
        placeholder="me.ngrok.dev"
        hint="A domain of your account. Leave empty to have ngrok assign one."
        problem={found('domain')}
        value={account.domain}
        onChange={(domain) => {
          onChange({ ...account, domain })
        }}
      />
    </>
  )
}
