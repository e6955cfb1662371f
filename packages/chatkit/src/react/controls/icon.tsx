import { useKit } from '../kit/kit-context.ts'

/** Paths in a box of 24, drawn with a line of the text's colour. */
const PATHS = {
  send: 'M12 20V5M5 12l7-7 7 7',
  stop: 'M7 7h10v10H7z',
  attach: 'M20 11.5 11.5 20a5.5 5.5 0 0 1-7.8-7.8l9-9a3.7 3.7 0 0 1 5.2 5.2l-8.8 8.8a1.8 1.8 0 0 1-2.6-2.6l8-8',
  chat: 'M5 5h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-5 4v-4H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2zM8 9.500h8M8 12.500h5',
  close: 'M6 6l12 12M18 6 6 18',
  plus: 'M12 5v14M5 12h14',
  history: 'M4 5v5h5M4.5 10A8 8 0 1 1 4 13M12 8v5l3 2',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5 10 17 19 7',
  retry: 'M20 5v5h-5M19.5 10A8 8 0 1 0 20 13',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  like: 'M7 11v9H4v-9zM7 11l4-7c1.5 0 2.5 1 2.3 2.5L13 10h5a2 2 0 0 1 2 2.3l-1 6A2 2 0 0 1 17 20H7',
  dislike: 'M17 13V4h3v9zM17 13l-4 7c-1.500 0-2.500-1-2.300-2.500L11 14H6a2 2 0 0 1-2-2.300l1-6A2 2 0 0 1 7 4h10',
  down: 'M6 9l6 6 6-6',
  tool: 'M14.500 6.500a4 4 0 0 0-5 5L4 17v3h3l5.500-5.500a4 4 0 0 0 5-5L15 12l-3-3z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.500 4.500',
  agent: 'M5 8h14v11H5zM12 8V4M9 13h.01M15 13h.01',
  thought: 'M9 18h6M10 21h4M8 14a6 6 0 1 1 8 0c-1 1-1 2-1 2H9s0-1-1-2z',
  question:
    'M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 17.500h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  shield: 'M12 3l7 3v5c0 5-3 8.500-7 10-4-1.500-7-5-7-10V6zM12 8v5M12 16h.01',
  plan: 'M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1',
  chart: 'M4 20h16M7 20v-7M12 20V6M17 20v-10',
  page: 'M4 5h16v14H4zM4 9h16',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  info: 'M12 11v5M12 8h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  warning: 'M12 4 2.500 20h19zM12 10v4M12 17h.01',
  delete: 'M5 7h14M10 11v6M14 11v6M6 7l1 13h10l1-13M9 7V4h6v3',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c1-4 4-6 8-6s7 2 8 6',
  enlarge: 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7',
  save: 'M12 4v11M7 10l5 5 5-5M5 20h14',
  open: 'M14 4h6v6M20 4 11 13M18 14v6H4V6h6',
} as const

export type IconName = keyof typeof PATHS

/** A picture beside a word, never instead of one: hidden from readers of the screen. */
export function Icon({ name }: { name: IconName }) {
  const Own = useKit().options.components.Icon
  if (Own) return <Own name={name} />
  return (
    <svg className="ck-icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
