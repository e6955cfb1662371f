/** Version of the wire protocol this package describes. */
export const PROTOCOL_VERSION = '1.0'
