export type City = { id: string; name: string; x: number; y: number; people: number }

/** Where they are on the map, in per cent, and how many million people live there. */
export const cities: readonly City[] = [
  { id: 'hangzhou', name: '杭州 Hangzhou', x: 36, y: 24, people: 12.5 },
  { id: 'jiaxing', name: '嘉兴 Jiaxing', x: 56, y: 11, people: 5.6 },
  { id: 'ningbo', name: '宁波 Ningbo', x: 74, y: 36, people: 9.7 },
  { id: 'jinhua', name: '金华 Jinhua', x: 44, y: 55, people: 7.1 },
  { id: 'quzhou', name: '衢州 Quzhou', x: 21, y: 65, people: 2.3 },
  { id: 'wenzhou', name: '温州 Wenzhou', x: 53, y: 84, people: 9.8 },
]
