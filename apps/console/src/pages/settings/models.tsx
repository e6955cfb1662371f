import type { ModelsConfig, ModelTest, TestModel } from '@parley/protocol/rest'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { meQuery, modelsQuery } from '../../data/account.ts'
import { client } from '../../data/client.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { useMoney } from '../../texts/money.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Code } from './code.tsx'
import { TestSteps } from './test-steps.tsx'
import { settingsWords } from './words.ts'

const ENVIRONMENT = `PARLEY_MODEL_URL=https://models.example.com/v1
PARLEY_MODEL=model-id
PARLEY_MODEL_KEY=…`
const FILE = `export default {
  models: [
    {
      id: 'model-id',
      provider: 'openai-compatible',
      url: 'https://models.example.com/v1',
      apiKey: process.env.MODEL_KEY,
    },
  ],
}`

export function Models() {
  const words = useWords(settingsWords)
  const { data, error, isPending, refetch } = useQuery(modelsQuery)
  const { data: me } = useQuery(meQuery)
  const isOwner = me?.role === 'owner'
  if (isPending) return <Skeleton />
  if (!data) return <Failure error={error} retry={() => void refetch()} />
  return (
    <>
      <p className="text-14 text-muted">{words.modelsAbout}</p>
      <ul className="rounded-card border border-line">
        {data.models.map((model) => (
          <ModelRow key={model.id} model={model} isDefault={model.id === data.default} canTest={isOwner} />
        ))}
      </ul>
      {isOwner ? (
        <>
          <p className="text-12 text-muted">{words.testCosts}</p>
          <AddModel />
          <AddPrices id={data.default} />
        </>
      ) : (
        <p className="text-13 text-muted">{words.membersModels}</p>
      )}
    </>
  )
}

type RowProps = { model: ModelsConfig['models'][number]; isDefault: boolean; canTest: boolean }

function ModelRow({ model: { id, name, context_window, source, price }, isDefault, canTest }: RowProps) {
  const words = useWords(settingsWords)
  const format = useFormat()
  const money = useMoney()
  const test = useModelTest()
  const facts = [
    source ? words.sources[source.from](source.variable ?? '') : null,
    context_window ? words.window(format.short(context_window)) : null,
    price
      ? words.price(
          money(price.input, price.currency),
          money(price.cached, price.currency),
          money(price.output, price.currency),
        )
      : words.noPrice,
  ].filter((fact) => fact !== null)
  return (
    <li className="flex flex-col gap-2 border-b border-line px-4 py-2 text-13 last:border-b-0">
      <div className="flex items-center gap-3">
        <div className="min-w-0 grow">
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium">{name}</span>
            {isDefault ? (
              <span className="on-tint rounded-full bg-accent-soft px-2 text-12 text-on-accent-soft">
                {words.isDefault}
              </span>
            ) : null}
            {name === id ? null : <code className="truncate font-mono text-12 text-muted">{id}</code>}
          </p>
          <p className="text-12 text-muted">{facts.join(' · ')}</p>
        </div>
        {canTest ? (
          <Button
            isBusy={test.isPending}
            aria-label={`${words.test} ${name}`}
            onClick={() => test.mutate({ model: id })}
          >
            {words.test}
          </Button>
        ) : null}
      </div>
      <Outcome test={test} />
    </li>
  )
}

function AddModel() {
  const words = useWords(settingsWords)
  return (
    <details className="rounded-card border border-line px-4 py-3" id="add-model">
      <summary className="text-14 font-semibold">{words.addModel}</summary>
      <div className="flex flex-col gap-4 pt-4">
        <div className="flex flex-col gap-2">
          <h3 className="text-13 font-medium">{words.addEnvironment}</h3>
          <Code text={ENVIRONMENT} />
        </div>
        <div className="flex flex-col gap-2">
          <h3 className="text-13 font-medium">{words.addFile}</h3>
          <Code text={FILE} />
        </div>
        <TryAddress />
      </div>
    </details>
  )
}

/** Also of those that the environment offers, which are in no list. */
function AddPrices({ id }: { id: string }) {
  const words = useWords(settingsWords)
  const file = `export default {
  currency: 'USD',
  prices: {
    '${id}': { input: 3, cached: 0.3, output: 15 },
  },
}`
  return (
    <details className="rounded-card border border-line px-4 py-3">
      <summary className="text-14 font-semibold">{words.addPrices}</summary>
      <div className="flex flex-col gap-2 pt-4">
        <p className="text-13 text-muted">{words.pricesText}</p>
        <Code text={file} />
      </div>
    </details>
  )
}

function TryAddress() {
  const words = useWords(settingsWords)
  const test = useModelTest()
  const [typed, setTyped] = useState({ url: '', api_key: '', model: '' })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { url, api_key, model } = typed
    test.mutate({ url, ...(api_key && { api_key }), ...(model && { model }) })
  }
  const fields = { url: words.url, api_key: words.key, model: words.model } as const
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <h3 className="text-13 font-medium">{words.tryAddress}</h3>
      <p className="text-12 text-muted">{words.tryText}</p>
      {(Object.keys(fields) as (keyof typeof fields)[]).map((name) => (
        <Field key={name} label={fields[name]} {...(name === 'model' && { hint: words.modelHint })}>
          {(control) => (
            <TextInput
              {...control}
              type={name === 'url' ? 'url' : name === 'api_key' ? 'password' : 'text'}
              required={name === 'url'}
              autoComplete="off"
              value={typed[name]}
              onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
            />
          )}
        </Field>
      ))}
      <Button type="submit" className="w-fit" isBusy={test.isPending}>
        {words.tryIt}
      </Button>
      <Outcome test={test} />
    </form>
  )
}

function useModelTest() {
  return useMutation({ mutationFn: (target: TestModel): Promise<ModelTest> => client.models.test(target) })
}

function Outcome({ test }: { test: ReturnType<typeof useModelTest> }) {
  if (test.error)
    return (
      <p role="alert" className="text-13 text-danger">
        {test.error.message}
      </p>
    )
  return test.data ? <TestSteps test={test.data} /> : null
}
