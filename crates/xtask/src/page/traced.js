
const boundImports = __wbg_get_imports;
globalThis.functionsThatRan = new Set();
__wbg_get_imports = () => ({ ...boundImports(), later: { ran: (number) => functionsThatRan.add(number) } });
