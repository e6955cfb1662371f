import type { McpServerHealth } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { Ellipsis } from '../../ui/icons.tsx'
import { Link, useLocation } from 'wouter'
import { meQuery } from '../../data/account.ts'
import { mcpServersQuery } from '../../data/tools.ts'
import { routes } from '../../routes.ts'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Failure } from '../../ui/states.tsx'
import { ServerState } from './server-state.tsx'
import { useServerCare } from './use-server-care.tsx'
import { toolWords } from './words.ts'

/** Foreign servers, and how they are. One that fails says so in its own row and hides nobody. */
export function ServerRows() {
  const words = useWords(toolWords)
  const { data: servers, error, refetch } = useQuery(mcpServersQuery)
  const { data: me } = useQuery(meQuery)
  const care = useServerCare()
  useShortcuts({
    t() {
      const name = document.activeElement?.closest<HTMLElement>('[data-server]')?.dataset['server']
      if (name !== undefined && me?.role === 'owner') care.test(name)
    },
  })
  if (error && !servers) return <Failure error={error} retry={() => void refetch()} />
  if (!servers || servers.length === 0) return null
  return (
    <section aria-labelledby="mcp-servers" className="flex flex-col gap-2">
      <h2 id="mcp-servers" className="text-14 font-semibold">
        {words.servers}
      </h2>
      <ul className="rounded-card border border-line">
        {servers.map((server) => (
          <ServerRow key={server.name} server={server} care={me?.role === 'owner' ? care : null} />
        ))}
      </ul>
      {care.dialog}
    </section>
  )
}

type RowProps = { server: McpServerHealth; care: ReturnType<typeof useServerCare> | null }

function ServerRow({ server, care }: RowProps) {
  const words = useWords(toolWords)
  const format = useFormat()
  const [, go] = useLocation()
  const { name, server: called, agent, state, tools, last_success_at, failure } = server
  const isTested = care?.busy === name
  const verb = state === 'failed' ? words.again : words.test
  const facts = [
    agent === null ? null : words.ofAgent(agent),
    tools === null ? null : words.toolCount(tools),
    last_success_at === null ? null : words.answered(format.ago(last_success_at)),
  ].filter((fact) => fact !== null)
  return (
    <li
      data-server={name}
      className="flex items-center gap-3 border-b border-line px-4 py-2 text-13 last:border-b-0 max-md:flex-wrap"
    >
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-x-3">
          <Link
            data-row=""
            href={routes.mcpServer(name)}
            className="inline-flex items-center font-medium hover:underline max-md:min-h-6"
          >
            {called}
          </Link>
          <ServerState state={state} />
          <span className="text-12 text-muted">{facts.join(' · ')}</span>
        </p>
        {failure ? <p className="text-danger">{failure.reason}</p> : null}
      </div>
      {care ? (
        <div className="flex flex-none items-center gap-1">
          <Button isBusy={isTested} onClick={() => care.test(name)} aria-label={`${verb} ${called}`}>
            {verb}
          </Button>
          <Menu
            label={words.more(called)}
            items={[
              { label: words.open, onSelect: () => go(routes.mcpServer(name)) },
              { label: words.restart, onSelect: () => care.askRestart(server) },
            ]}
          >
            <Ellipsis size={16} />
          </Menu>
        </div>
      ) : null}
    </li>
  )
}
