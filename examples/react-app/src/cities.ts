export type City = { id: string; name: string; x: number; y: number; people: number }

/** Where they are on the map, and how many million people live there. */
export const cities: readonly City[] = [
  { id: 'hangzhou', name: '杭州 Hangzhou', x: 190, y: 130, people: 12.5 },
  { id: 'jiaxing', name: '嘉兴 Jiaxing', x: 260, y: 80, people: 5.6 },
  { id: 'ningbo', name: '宁波 Ningbo', x: 340, y: 170, people: 9.7 },
  { id: 'jinhua', name: '金华 Jinhua', x: 210, y: 250, people: 7.1 },
  { id: 'quzhou', name: '衢州 Quzhou', x: 90, y: 290, people: 2.3 },
  { id: 'wenzhou', name: '温州 Wenzhou', x: 240, y: 370, people: 9.8 },
]
