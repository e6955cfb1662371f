import type { Policy, TriedPolicy } from '@parley/protocol/rest'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { meQuery } from '../../data/account.ts'
import { client } from '../../data/client.ts'
import { policyQuery } from '../../data/server.ts'
import { toolsQuery } from '../../data/tools.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select, TextArea } from '../../ui/field.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Code } from './code.tsx'
import { settingsWords } from './words.ts'

/** The rules about calls, to read and to try; they are written in the configuration. */
export function PolicySection() {
  const words = useWords(settingsWords)
  const { data: policy, error, isPending, refetch } = useQuery(policyQuery)
  const { data: me } = useQuery(meQuery)
  if (isPending) return <Skeleton />
  if (!policy) return <Failure error={error} retry={() => void refetch()} />
  const { defaults, headless, confirmation_minutes } = policy
  return (
    <>
      <p className="text-14 text-muted">{words.policyAbout}</p>
      <Rules policy={policy} />
      <section className="flex flex-col gap-1 text-13">
        <h3 className="text-14 font-semibold">{words.byRisk}</h3>
        <ul>
          {Object.entries(defaults).map(([risk, decision]) => (
            <li key={risk}>{words.riskLine(words.risks[risk] ?? risk, words.decisions[decision])}</li>
          ))}
        </ul>
        <p className="text-muted">{words.headless[headless]}</p>
        <p className="text-muted">{words.minutes(confirmation_minutes)}</p>
      </section>
      {me?.role === 'owner' ? <TryCall /> : null}
      <section className="flex flex-col gap-2">
        <h3 className="text-14 font-semibold">{words.asConfiguration}</h3>
        <Code text={configurationOf(policy)} />
        <p className="text-12 text-muted">{words.readOnly}</p>
      </section>
    </>
  )
}

function Rules({ policy: { rules } }: { policy: Policy }) {
  const words = useWords(settingsWords)
  if (rules.length === 0) return <p className="text-13">{words.noRules}</p>
  return (
    <table className="w-full text-left text-13">
      <thead className="max-md:sr-only">
        <tr className="border-b border-line text-12 text-muted">
          {[words.rule, words.tool, words.arguments, words.decision].map((head) => (
            <th key={head} scope="col" className="py-2 pr-4 font-medium">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rules.map(({ tool, arguments: given, decision }, at) => (
          <tr key={at} className="border-b border-line max-md:flex max-md:flex-wrap max-md:gap-x-3 max-md:py-2">
            <td className="py-2 pr-4 tabular-nums text-muted max-md:py-0 max-md:pr-0">{at + 1}</td>
            <td className="py-2 pr-4 font-mono break-all max-md:py-0 max-md:pr-0">{tool}</td>
            <td className="py-2 pr-4 font-mono break-all max-md:order-last max-md:w-full max-md:py-0">
              {given
                ? Object.entries(given)
                    .map(([name, pattern]) => `${name}: ${pattern}`)
                    .join(', ')
                : words.anyArguments}
            </td>
            <td className="py-2 pr-4 max-md:grow max-md:py-0 max-md:pr-0 max-md:text-right">
              {words.decisions[decision]}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function TryCall() {
  const words = useWords(settingsWords)
  const { data: tools } = useQuery(toolsQuery)
  const [tool, setTool] = useState('Bash')
  const [given, setGiven] = useState('{}')
  const tried = useMutation({
    mutationFn: (call: { tool: string; arguments: Record<string, unknown> }): Promise<TriedPolicy> =>
      client.policy.tryOut(call),
  })
  const parsed = objectIn(given)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (parsed) tried.mutate({ tool, arguments: parsed })
  }
  const { data: outcome, error } = tried
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <h3 className="text-14 font-semibold">{words.tryCall}</h3>
      <p className="text-12 text-muted">{words.tryCallText}</p>
      <Field label={words.tool}>
        {(control) => (
          <Select {...control} value={tool} onChange={({ target }) => setTool(target.value)}>
            {(tools?.items ?? []).map(({ name, display_name }) => (
              <option key={name} value={name}>
                {display_name === name ? name : `${display_name} (${name})`}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={words.argumentsJson} error={parsed ? undefined : words.badJson}>
        {(control) => (
          <TextArea
            {...control}
            rows={3}
            spellCheck={false}
            className="font-mono text-13"
            value={given}
            onChange={({ target }) => setGiven(target.value)}
          />
        )}
      </Field>
      <Button type="submit" className="w-fit" disabled={!parsed} isBusy={tried.isPending}>
        {words.ask}
      </Button>
      <p role="status" className="min-h-5 text-14">
        {error ? error.message : null}
        {outcome ? words.outcome[outcome.by](words.decisions[outcome.decision], outcome.rule ?? 0) : null}
      </p>
    </form>
  )
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** As it stands in `parley.config.ts`. */
function configurationOf({ rules, headless, confirmation_minutes }: Policy): string {
  const written = rules.map(({ tool, arguments: given, decision }) => ({
    tool,
    ...(given && { arguments: given }),
    decision,
  }))
  const policy = { rules: written, headless, confirmationMinutes: confirmation_minutes }
  return `policy: ${JSON.stringify(policy, null, 2)}`
}
