/** ms, of the clock that all processes of a machine share: what one notes can be compared with what another does. */
export const now = () => Number(process.hrtime.bigint()) / 1e6;
