import type { ComponentProps } from 'react'

type IconProps = Omit<ComponentProps<'svg'>, 'children'> & { /** Of its square, in px. */ size?: number }
export type Icon = (props: IconProps) => React.ReactElement

/** Lines on a grid of 24, all as thick, in the colour of the text. A picture beside a word: hidden from readers of the screen. */
const icon =
  (path: string): Icon =>
  ({ size = 18, ...props }) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      {...props}
    >
      <path d={path} />
    </svg>
  )

export const Ban = icon('M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM6 6l12 12')
export const Bars = icon('M5 20v-6M12 20V4.5M19 20V10')
export const BookOpen = icon(
  'M12 6.5C10 5 7 4.5 3.5 4.5V18c3.5 0 6.5.5 8.5 2 2-1.5 5-2 8.5-2V4.5C17 4.5 14 5 12 6.5zM12 6.5V20',
)
export const Bookmark = icon('M6.5 4h11v16.5L12 16.5l-5.5 4z')
export const Braces = icon(
  'M9 4H8a2 2 0 0 0-2 2v3.5A2.5 2.5 0 0 1 3.5 12 2.5 2.5 0 0 1 6 14.5V18a2 2 0 0 0 2 2h1M15 4h1a2 2 0 0 1 2 2v3.5a2.5 2.5 0 0 0 2.5 2.5 2.5 2.5 0 0 0-2.5 2.5V18a2 2 0 0 1-2 2h-1',
)
export const CalendarClock = icon(
  'M20 10.5v-4a1 1 0 0 0-1-1H5a1 1 0 0 0-1 1V19a1 1 0 0 0 1 1h5.5M4 10h8.5M8.5 3.5v4M15.5 3.5v4M17 12.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM17 14.8V17l1.5 1',
)
export const CalendarDays = icon(
  'M5 5.5h14a1 1 0 0 1 1 1V19a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6.5a1 1 0 0 1 1-1zM4 10h16M8.5 3.5v4M15.5 3.5v4M8.5 13.5h.01M12 13.5h.01M15.5 13.5h.01M8.5 16.5h.01M12 16.5h.01',
)
export const Chain = icon('M9.5 7.5H8a4.5 4.5 0 0 0 0 9h1.5M14.5 7.5H16a4.5 4.5 0 0 1 0 9h-1.5M8.5 12h7')
export const Check = icon('M5 12.5 10 17.5 19.5 7')
export const ChevronFirst = icon('M6 5.5v13M17.5 5.5 11 12l6.5 6.5')
export const ChevronLast = icon('M18 5.5v13M6.5 5.5 13 12l-6.5 6.5')
export const ChevronLeft = icon('M14.5 5.5 8 12l6.5 6.5')
export const ChevronRight = icon('M9.5 5.5 16 12l-6.5 6.5')
export const Circle = icon('M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z')
export const CircleCheck = icon('M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM8.3 12.3l2.6 2.6 4.9-5.4')
export const CircleDashed = icon(
  'M9.9 3.8A8.5 8.5 0 0 1 14.1 3.8M16.4 4.7A8.5 8.5 0 0 1 19.3 7.6M20.2 9.9A8.5 8.5 0 0 1 20.2 14.1M19.3 16.4A8.5 8.5 0 0 1 16.4 19.3M14.1 20.2A8.5 8.5 0 0 1 9.9 20.2M7.6 19.3A8.5 8.5 0 0 1 4.7 16.4M3.8 14.1A8.5 8.5 0 0 1 3.8 9.9M4.7 7.6A8.5 8.5 0 0 1 7.6 4.7',
)
export const CircleHelp = icon(
  'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM9.5 9.5a2.5 2.5 0 1 1 3.7 2.2c-.8.5-1.2 1-1.2 2M12 16.5h.01',
)
export const Clock = icon('M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.5V12l3 2')
export const Code = icon('M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14')
export const Copy = icon(
  'M9.5 8.5h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-10a1 1 0 0 1-1-1v-10a1 1 0 0 1 1-1zM15.5 5.5v-1a1 1 0 0 0-1-1h-10a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h1',
)
export const Download = icon('M12 4v11M7 10.5l5 5 5-5M4.5 20h15')
export const Ellipsis = icon(
  'M5 11.25a0.75 0.75 0 1 0 0 1.5 0.75 0.75 0 0 0 0-1.5zM12 11.25a0.75 0.75 0 1 0 0 1.5 0.75 0.75 0 0 0 0-1.5zM19 11.25a0.75 0.75 0 1 0 0 1.5 0.75 0.75 0 0 0 0-1.5z',
)
export const File = icon('M6 3.5h7.5l5 5v12H6zM13.5 3.5v5h5')
export const FilePenLine = icon('M18 9.5v-1l-5-5H5.5v17H10M13 3.5v5h5M12.8 20.5l.6-2.8 5.3-5.3 2.2 2.2-5.3 5.3z')
export const FilePlus = icon('M6 3.5h7.5l5 5v12H6zM13.5 3.5v5h5M12.25 11.5v6M9.25 14.5h6')
export const Folder = icon('M4.5 5h4.7l2 2.5h8.3a1 1 0 0 1 1 1V18a1 1 0 0 1-1 1h-15a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z')
export const FolderOpen = icon('M3.5 18.5V6a1 1 0 0 1 1-1h4.7l2 2.5h6.3a1 1 0 0 1 1 1v2M3.5 18.5 6 10.5h15.5l-2.5 8z')
export const History = icon('M4 4.5v5h5M4.5 9.5A8.3 8.3 0 1 1 3.8 13M12 8v4.5l3 1.8')
export const Info = icon('M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 11v5.5M12 7.6h.01')
export const ListFilter = icon('M4 7h16M7 12h10M10 17h4')
export const LoaderCircle = icon('M20.5 12a8.5 8.5 0 1 1-6-8.1')
export const MessageSquare = icon(
  'M5.5 4.5h13A1.5 1.5 0 0 1 20 6v9.5a1.5 1.5 0 0 1-1.5 1.5H11l-4.5 3.5V17h-1A1.5 1.5 0 0 1 4 15.5V6a1.5 1.5 0 0 1 1.5-1.5z',
)
export const Minus = icon('M5.5 12h13')
export const OctagonAlert = icon('M8.5 3.5h7l5 5v7l-5 5h-7l-5-5v-7zM12 8v5M12 15.9h.01')
export const Pause = icon('M8.5 5.5v13M15.5 5.5v13')
export const Pencil = icon('M4 20l1-4.5 11-11L19.5 8l-11 11zM13.5 7l3.5 3.5')
export const Pin = icon('M8.5 3.5h7M10 3.5V10l-3.5 4v1h11v-1L14 10V3.5M12 15v5.5')
export const Play = icon('M7.5 5v14l11-7z')
export const Plug = icon('M9 3.5V8M15 3.5V8M6 8h12v3.5a6 6 0 0 1-12 0zM12 17.5v3')
export const Plus = icon('M12 5.5v13M5.5 12h13')
export const Power = icon('M12 3.5v8M7 6.5a7.5 7.5 0 1 0 10 0')
export const Search = icon('M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.2 15.2 20 20')
export const Share = icon(
  'M17.5 3.25a2.25 2.25 0 1 0 0 4.5 2.25 2.25 0 0 0 0-4.5zM6 9.75a2.25 2.25 0 1 0 0 4.5 2.25 2.25 0 0 0 0-4.5zM17.5 16.25a2.25 2.25 0 1 0 0 4.5 2.25 2.25 0 0 0 0-4.5zM8 10.9l7.5-4.3M8 13.1l7.5 4.3',
)
export const ShieldCheck = icon(
  'M12 3.5l7.5 2.7v5.3c0 4.5-3 7.6-7.5 9-4.5-1.4-7.5-4.5-7.5-9V6.2zM8.7 12l2.4 2.4 4.3-4.6',
)
export const Sliders = icon(
  'M4 7.5h9M18.5 7.5H20M4 16.5h1.5M11 16.5h9M15.75 4.75a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5zM8.25 13.75a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5z',
)
export const SquareTerminal = icon(
  'M4.5 4.5h15a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-15a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1zM7.5 9l3 3-3 3M12.5 15.5h4',
)
export const StepBack = icon('M18 6v12l-9-6zM5.5 6v12')
export const StepForward = icon('M6 6v12l9-6zM18.5 6v12')
export const Table = icon('M4 4.5h16v15H4zM4 9.5h16M4 14.5h16M10 9.5v10')
export const Trash = icon('M4.5 6.5h15M9.5 6.5V4h5v2.5M6.5 6.5 7.3 20h9.4l.8-13.5M10.25 10.5V16M13.75 10.5V16')
export const TriangleAlert = icon('M12 4.5l-9 15h18zM12 10v4.5M12 16.9h.01')
export const Undo = icon('M8.5 5 4 9.5 8.5 14M4 9.5h10a5.25 5.25 0 0 1 0 10.5h-4')
export const Upload = icon('M12 15.5v-11M7 9.5l5-5 5 5M4.5 20h15')
export const UserCog = icon(
  'M10 4.5A3.75 3.75 0 1 0 10 12a3.75 3.75 0 0 0 0-7.5zM3.5 20c.5-3.7 3-5.5 6.5-5.5M17.5 14.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM17.5 12.5v2.2M17.5 19.3v2.2M13 17h2.2M19.8 17H22',
)
export const UserPlus = icon(
  'M10 4.5A3.75 3.75 0 1 0 10 12a3.75 3.75 0 0 0 0-7.5zM3.5 20c.5-3.7 3-5.5 6.5-5.5s6 1.8 6.5 5.5M19 7.5v6M16 10.5h6',
)
export const Wrench = icon(
  'M15.8 3.6a5.2 5.2 0 0 0-5.6 6.9l-6 6a2.3 2.3 0 0 0 3.3 3.3l6-6a5.2 5.2 0 0 0 6.9-5.6l-3.2 3.1-3.3-1.2-1.2-3.3z',
)
export const X = icon('M6.5 6.5l11 11M17.5 6.5l-11 11')
