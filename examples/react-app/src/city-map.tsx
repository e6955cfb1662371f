import { cities } from './cities.ts'

type CityMapProps = {
  /** What the agent points at. */
  highlighted: ReadonlySet<string>
  /** What the user chose. */
  selected: string | null
  onSelect: (id: string) => void
}

export function CityMap({ highlighted, selected, onSelect }: CityMapProps) {
  return (
    <div className="map" role="group" aria-label="Map of Zhejiang">
      {cities.map(({ id, name, x, y }) => (
        <button
          key={id}
          type="button"
          className="city"
          style={{ left: `${x}%`, top: `${y}%` }}
          aria-pressed={id === selected}
          data-highlighted={highlighted.has(id)}
          onClick={() => onSelect(id)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
