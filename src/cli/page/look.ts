export const pageLook: string = '';
